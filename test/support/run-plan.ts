/** Runs a plan over a reader in this thread, split into the given parts: the kernels without threads. */
import type { Plan } from '../../lib/dsl/plan/plan.ts';
import type { Table } from '../../lib/dsl/plan/table.ts';
import type { SegmentSummary, ShardReader, Snapshot } from '../../lib/shards/shard-reader.ts';
import { kernelOf } from '../../lib/workers/kernels/registry.ts';
import { runsInSlices, readRange } from '../../lib/workers/plan-parts.ts';
import { newStop, unseenByAll, type Unseen } from '../../lib/workers/pool/protocol.ts';
import { WHOLE } from '../../lib/workers/query-context.ts';
import { transferOf } from '../../lib/workers/pool/transferables.ts';
import { PartRun } from '../../lib/workers/pool/part-run.ts';
import { Hold } from '../../lib/primitives/columns.ts';
import { mergeContext } from '../../lib/workers/pool/task-runner.ts';
import { sharedDictionary } from '../../lib/workers/rows/field-column.ts';
import { dictionariesOf } from './dictionaries-of.ts';
import { TestTables } from '../../lib/workers/where/test-tables.ts';

export interface RunOptions {
  /** The part of a segment; segments without one are left out, as scheduling leaves out those outside the range. */
  readonly partOf: (segment: SegmentSummary) => number;
  readonly memory?: number;
  readonly maxGroups?: number;
  readonly checkpoint?: () => void;
}

const GIB = 2 ** 30;

interface Answer {
  readonly table: Table;
  readonly unseen: Unseen;
}

export function runPlan(plan: Plan, reader: ShardReader, snapshot: Snapshot, options: RunOptions): Answer {
  const memory = new Hold();
  try {
    return runIn(memory, { plan, reader, snapshot, options });
  } finally {
    memory[Symbol.dispose]();
  }
}

interface Asked {
  readonly plan: Plan;
  readonly reader: ShardReader;
  readonly snapshot: Snapshot;
  readonly options: RunOptions;
}

function runIn(memory: Hold, { plan, reader, snapshot, options }: Asked): Answer {
  const limits = {
    memory: options.memory ?? GIB,
    queryMemory: options.memory ?? GIB,
    maxGroups: options.maxGroups ?? 1e6,
  };
  const checkpoint = options.checkpoint ?? ((): void => undefined);
  const { from, to } = readRange(plan);
  const segments = snapshot.segments.filter(({ first, last }) => first < to && last >= from);
  const threads = [...new Set(segments.map(options.partOf))];
  if (threads.length === 0) threads.push(0);
  const tables = new TestTables(1e6);
  const inSlices = runsInSlices(plan);
  const runs = threads.map((thread, index) => {
    const own = segments.filter((segment) => inSlices || options.partOf(segment) === thread);
    const elsewhere = segments.filter((segment) => !inSlices && options.partOf(segment) !== thread);
    const slice = inSlices ? { index, of: threads.length } : WHOLE;
    const task = {
      ...{ kind: 'part' as const, stop: newStop(), plan, snapshot, sole: threads.length === 1, deadline: Infinity },
      ...{ segments: own, elsewhere, slice, ...limits },
    };
    const profiles = dictionariesOf(reader.profiles(snapshot), reader.ids());
    const run = new PartRun(task, { reader, tables, profiles: () => profiles, memory, checkpoint, room: null });
    run.readSegments();
    return { partial: structuredClone(transferOf(run.partial()).partial), unseen: run.unseen };
  });
  const table = kernelOf(plan).answer(
    runs.map(({ partial }) => partial),
    mergeContext(
      { plan, ...limits },
      {
        ...{ tables, checkpoint, memory, sharedDictionary: (key) => sharedDictionary(reader, key) },
        profiles: () => dictionariesOf(reader.profiles(snapshot), reader.ids()),
      },
    ),
  );
  return { table, unseen: unseenByAll(runs.map(({ unseen }) => unseen)) };
}
