/** Rows of an earlier range, on their way through the event loop to the thread that compares with them: as bytes, which it only passes on. */
import { readJson } from '../base/text/read-json.ts';
import { earlierPlan, withEarlier } from '../dsl/finish/compare.ts';
import type { Plan } from '../dsl/plan/plan.ts';
import type { Cell, Table } from '../dsl/plan/table.ts';

export function packRows({ rows }: Table): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(rows));
}

/** Cells of what is compared are numbers, texts and null. */
const isRows = (value: unknown): value is readonly (readonly Cell[])[] =>
  Array.isArray(value) && value.every(Array.isArray);

/** A task with the rows in its plan, if it has some. */
export function withEarlierRows<T extends { readonly plan: Plan; readonly earlier?: Uint8Array | null }>(task: T): T {
  if (task.earlier === undefined || task.earlier === null || earlierPlan(task.plan) === null) return task;
  const rows: unknown = readJson(new TextDecoder().decode(task.earlier));
  if (!isRows(rows)) throw new Error('earlier rows that are none');
  return { ...task, plan: withEarlier(task.plan, rows) };
}

/** About eight for each byte: cells, and the table by which rows are found. */
export const bytesOfEarlier = (earlier: Uint8Array | null | undefined): number => 8 * (earlier?.length ?? 0);
