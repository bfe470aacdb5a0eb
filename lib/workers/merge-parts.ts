/** Merges the partial results of a query where requests are served. Loaded by the first query that several threads share. */
import { formatPage } from '../dsl/format/page.ts';
import type { Plan } from '../dsl/plan/plan.ts';
import { Hold } from '../primitives/columns.ts';
import { kernelOf } from './kernels/registry.ts';
import type { PartialResult } from './kernels/partial-result.ts';
import type { Limits } from './pool/protocol.ts';
import { mergeContext } from './pool/task-runner.ts';
import { askForTexts, transferOf } from './pool/transferables.ts';
import type { Made } from './query-result.ts';
import { TestTables } from './where/test-tables.ts';
import { threshold } from '../base/threshold.ts';

/** Partials up to this many bytes are merged here: it takes no time, and reaching a thread takes longer. */
const HERE = threshold('bytes of an inline merge', 16 * 1_024, { least: -1 });

/** Whether they are so small that no thread need merge them. `bytes`: of all together. */
export function mergesHere(partials: readonly PartialResult[], bytes: number): boolean {
  return bytes <= HERE.value && !askForTexts(partials);
}

/** The answer of a query, as the rows or, with a format, as text. */
export function mergeHere(
  plan: Plan,
  partials: readonly PartialResult[],
  { format, ...limits }: Required<Omit<Limits, 'room'>>,
): Made {
  const memory = new Hold();
  try {
    const tools = { tables: new TestTables(0), checkpoint: () => undefined, memory, sharedDictionary: () => null };
    const table = kernelOf(plan).answer(partials, mergeContext({ plan, ...limits }, tools));
    return format === null ? { kind: 'table', table } : { kind: 'page', page: formatPage(format, table, plan.zone) };
  } finally {
    memory.release();
  }
}

/** What is transferred to the thread that merges them. */
export function buffersOf(partials: readonly PartialResult[]): ArrayBuffer[] {
  return partials.flatMap((partial) => transferOf(partial).buffers);
}
