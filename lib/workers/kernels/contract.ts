/**
 * What every kernel is: how the rows of one kind of plan become a table.
 *
 *   init     a part begins: the state of one part in one thread
 *   consume  the rows of one segment, in the order the kernel asks for; called once per segment of the part
 *   partial  what the part found, as plain data that crosses threads
 *   merge    joins the partials of all parts
 *   finish   the table of the merged partials
 *
 * Invariants:
 * - Segments are split among parts in any way; merge gives the same for every split, and for parts in any order. If a plan
 *   runs in slices, every part reads all segments and does its slice of the work on them.
 * - A state belongs to one thread and one part. Rows and arrays of a segment may be kept (they are immutable), not changed.
 * - A partial owns its arrays: they are transferred, so none may be a view on a column or on a cache.
 * - merge and finish read no segment: only partials, the plan, and shared dictionaries for texts that parts left as codes.
 * - Everything that grows with the data is first taken from the context's budget.
 * - No loop runs for more than about 50 ms without a checkpoint.
 */
import type { Plan } from '../../dsl/plan/plan.ts';
import type { Table } from '../../dsl/plan/table.ts';
import type { QueryContext, RowContext } from '../query-context.ts';
import type { EventRows } from '../rows/event-rows.ts';
import { sole, type PartialResult } from './partial-result.ts';

/** Rows `from` to `to - 1` lie in the plan's range. */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

export interface Kernel<S, M> {
  /** By first time ascending, or by last time descending. */
  readonly order: 'oldest' | 'newest';
  init(context: QueryContext): S;
  consume(state: S, rows: EventRows, range: RowRange): void;
  partial(state: S): PartialResult;
  merge(partials: readonly PartialResult[], context: RowContext): M;
  finish(merged: M, context: RowContext): Table;
}

/** A kernel whose state is hidden from everybody else. */
export interface BoundKernel {
  readonly order: 'oldest' | 'newest';
  start(context: QueryContext): Run;
  answer(partials: readonly PartialResult[], context: RowContext): Table;
}

export interface Run {
  consume(rows: EventRows, range: RowRange): void;
  partial(): PartialResult;
}

export function bindKernel<S, M>(kernel: Kernel<S, M>): BoundKernel {
  return {
    order: kernel.order,
    start(context) {
      const state = kernel.init(context);
      return {
        consume: (rows, range) => kernel.consume(state, rows, range),
        partial: () => kernel.partial(state),
      };
    },
    answer: (partials, context) => kernel.finish(kernel.merge(partials, context), context),
  };
}

/** A kernel of a plan that runs in one part, which makes the table. */
export function tableKernel<S>({
  table,
  ...kernel
}: Pick<Kernel<S, Table>, 'order' | 'init' | 'consume'> & { readonly table: (state: S) => Table }): Kernel<S, Table> {
  return {
    ...kernel,
    partial: (state) => ({ kind: 'table', table: table(state) }),
    merge: (partials) => sole('table', partials).table,
    finish: (made) => made,
  };
}

export type PlanOf<K extends Plan['kind']> = Plan & { readonly kind: K };
