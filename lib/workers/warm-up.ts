/** Before the first query comes to a thread: the code of typical ones is compiled. */
import { compileQuery } from '../dsl/compile.ts';
import type { Plan } from '../dsl/plan.ts';
import { makeTypicalShard, type TypicalShard } from '../shards/typical-shard.ts';
import type { Partial } from './kernels/contract.ts';
import { runsInOnePart } from './kernels/registry.ts';
import { CONTROL_LENGTH, type PartTask, type Reply } from './messages.ts';
import { WHOLE } from './query-context.ts';
import { QueryThread } from './query-thread.ts';
import { ShardReaders } from './shard-readers.ts';

/** One of every kernel, of the commonest metrics, and of groups by narrow and wide columns. */
const TYPICAL = [
  'page_view | last 30d | count by day',
  '* | last 30d | count by event_type | top 20',
  '* | last 30d | unique by day',
  '* | last 30d | unique by week',
  '* | last 30d | where event_properties.browser = "browser 1" | count by _country | top 10',
  '* | last 30d | count by event_properties.path | top 20',
  'purchase | last 30d | sum event_properties.amount by week',
  '* | last 30d | p95 event_properties.duration by event_properties.browser',
  '* | last 30d | where event_properties.path contains "7" | count by day',
  'funnel signup -> activate -> purchase | last 30d | window 7 d',
  'funnel page_view -> click -> page_view | last 30d',
  'funnel page_view -> purchase | last 30d | by event_properties.browser',
  'retention signup returning any | last 30d | by week',
  'sessions | last 30d | by day',
  'paths from signup | last 30d | depth 5 | window 1 h | top 20',
];

const MEMORY = 256 * 1_048_576;
const MAX_GROUPS = 100_000;

/** Runs typical questions on a small shard in memory. Nothing of it is kept but compiled code. */
export function warmUp(rounds: number): void {
  const shard = makeTypicalShard();
  try {
    const context = { now: shard.end, timezone: { project: 'UTC' }, limit: 100, offset: 0 };
    const plans = TYPICAL.map((text) => compileQuery(text, context).plan);
    for (let round = 0; round < rounds; round++) runAll(plans, shard);
  } finally {
    shard.connection.close();
  }
}

/** All plans with nothing decoded yet: as one part, and as two parts that are joined. */
function runAll(plans: readonly Plan[], shard: TypicalShard): void {
  const readers = new ShardReaders(MEMORY, () => shard.connection);
  const thread = new QueryThread(readers, new Int32Array(CONTROL_LENGTH));
  const { segments } = shard.snapshot;
  for (const plan of plans) {
    const task = taskOf(plan, shard);
    expectTable(thread.handle({ ...task, segments, elsewhere: [], sole: true }).reply);
    if (runsInOnePart(plan)) continue;
    const partials = segments.map((segment) => {
      const elsewhere = segments.filter((other) => other !== segment);
      return partialOf(thread.handle({ ...task, segments: [segment], elsewhere, sole: false }).reply);
    });
    expectTable(thread.handle({ ...task, kind: 'merge', partials }).reply);
  }
}

function taskOf(plan: Plan, { snapshot }: TypicalShard): Omit<PartTask, 'segments' | 'elsewhere' | 'sole'> {
  const limits = { memory: MEMORY, queryMemory: MEMORY, maxGroups: MAX_GROUPS, deadline: Infinity };
  return { kind: 'part', run: 1, drop: [], plan, snapshot, slice: WHOLE, ...limits };
}

function partialOf(reply: Reply): Partial {
  if (reply.kind === 'partial') return reply.partial;
  throw new Error(`a part of a typical query answered ${reply.kind}`, { cause: reply });
}

function expectTable(reply: Reply): void {
  if (reply.kind !== 'table') throw new Error(`a typical query answered ${reply.kind}`, { cause: reply });
}
