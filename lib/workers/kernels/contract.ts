/**
 * What every kernel is: how the rows of one kind of plan become a table.
 *
 *   start    a part begins in one thread
 *   consume  the rows of one segment, in the order the kernel asks for; called once per segment of the part
 *   partial  what the part found, as plain data that crosses threads
 *   answer   the table of the partials of all parts
 *
 * Invariants:
 * - Segments are split among parts in any way; the answer is the same for every split, and for parts in any order. If a plan
 *   runs in slices, every part reads all segments and does its slice of the work on them.
 * - A run belongs to one thread and one part. Rows and arrays of a segment may be kept (they are immutable), not changed.
 * - A partial has its arrays until its task ends: on the heap, from where they are transferred, or in the thread's memory, from
 *   where they are copied only if another thread merges. None may be a view on a column or on a cache.
 * - `answer` reads no segment: only partials, the plan, and shared dictionaries for texts that parts left as codes.
 * - Everything that grows with the data is first taken from the context's budget.
 * - No loop runs for more than about 50 ms without a checkpoint.
 */
import type { Plan } from '../../dsl/plan/plan.ts';
import type { Table } from '../../dsl/plan/table.ts';
import type { QueryContext, RowContext } from '../query-context.ts';
import type { EventRows } from '../rows/event-rows.ts';
import { sole, type PartialOf, type PartialResult } from './partial-result.ts';
import type { RowRange } from '../rows/row-set.ts';

export interface Kernel {
  /** By first time ascending, or by last time descending. */
  readonly order: 'oldest' | 'newest';
  start(context: QueryContext): Run;
  answer(partials: readonly PartialResult[], context: RowContext): Table;
}

export interface Run {
  /** @param range The rows in the plan's range. */
  consume(rows: EventRows, range: RowRange): void;
  partial(): PartialResult;
}

/** A kernel of a plan that runs in one part, which makes the table, and tells what it noticed. */
export function tableKernel(
  order: Kernel['order'],
  start: (context: QueryContext) => Pick<Run, 'consume'> & {
    readonly table: () => Table;
    readonly noticed?: () => Pick<PartialOf<'table'>, 'sessions'>;
  },
): Kernel {
  return {
    order,
    start(context) {
      const { table, noticed, ...run } = start(context);
      return { ...run, partial: () => ({ kind: 'table', table: table(), ...noticed?.() }) };
    },
    answer: (partials) => sole('table', partials).table,
  };
}

export type PlanOf<K extends Plan['kind']> = Plan & { readonly kind: K };
