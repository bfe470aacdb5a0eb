/** Merges the partial results of a query where requests are served. Loaded by the first query that several threads share. */
import { formatPage } from '../dsl/format/page.ts';
import { DAY_MS } from '../base/day.ts';
import { askedMetrics } from '../dsl/plan/columns.ts';
import { hasPatterns } from '../dsl/plan/conditions.ts';
import type { Plan } from '../dsl/plan/plan.ts';
import { traitsOf } from '../dsl/plan/plan-traits.ts';
import { packRows, withEarlierRows } from './earlier-rows.ts';
import { Hold } from '../primitives/columns.ts';
import { kernelOf } from './kernels/registry.ts';
import type { PartialResult } from './kernels/partial-result.ts';
import type { PartLimits } from './pool/protocol.ts';
import { mergeContext } from './pool/task-runner.ts';
import { askForTexts, transferOf } from './pool/transferables.ts';
import type { MadeRows } from './query-result.ts';
import { TestTables } from './where/test-tables.ts';
import { threshold } from '../base/threshold.ts';

/** Partials up to this many bytes are merged here: it takes no time, and reaching a thread takes longer. */
const HERE = threshold('bytes of an inline merge', 16 * 1_024, { least: -1 });

/** Longer ranges have too many buckets, and years whose clocks have to be found: seconds for centuries of days. Milliseconds. */
const LONG_RANGE = 2 * 366 * DAY_MS;

/**
 * Whether they are so small that no thread need merge them. `bytes`: of all together. A regular expression, which `where` after
 * `latest` runs over what is merged, is for a thread that can be ended.
 */
export function mergesHere(plan: Plan, partials: readonly PartialResult[], bytes: number): boolean {
  if (plan.kind === 'did' || plan.people !== undefined) return false; // by person: there are many
  const { from, to } = plan.range;
  const isLong = to - from > LONG_RANGE && traitsOf(plan).buckets.some((unit) => unit !== null);
  return bytes <= HERE.value && !isLong && !hasPatterns(plan) && !askForTexts(partials);
}

/** The answer of a query, as the rows or in a format. */
export function mergeHere(
  asked: Plan,
  partials: readonly PartialResult[],
  { format, ...limits }: Required<Omit<PartLimits, 'room'>>,
): MadeRows {
  const { plan } = withEarlierRows({ plan: asked, earlier: limits.earlier });
  using memory = new Hold();
  const tools = { tables: new TestTables(0), checkpoint: () => undefined, memory, sharedDictionary: () => null, profiles: () => notHere() }; // prettier-ignore
  const table = kernelOf(plan).answer(partials, mergeContext({ plan, ...limits }, tools));
  if (format === 'rows') return { kind: 'rows', rows: packRows(table) };
  return format === null
    ? { kind: 'table', table }
    : { kind: 'page', page: formatPage(format, table, plan.zone, askedMetrics(plan)) };
}

function notHere(): never {
  throw new Error('profiles are read where shards are open');
}

/** What is transferred to the thread that merges them. */
export function buffersOf(partials: readonly PartialResult[]): ArrayBuffer[] {
  return partials.flatMap((partial) => transferOf(partial).buffers);
}
