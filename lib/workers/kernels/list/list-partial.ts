/** Rows of a list as they cross threads. */
import type { Cell } from '../../../dsl/plan/table.ts';

export interface ListedRow {
  readonly time: number;
  readonly arrival: number;
  readonly cells: readonly Cell[];
}

export interface ListPartial {
  readonly kind: 'list';
  /** Rows of the part that pass; `rows` are those that a page may need. */
  readonly total: number;
  readonly rows: readonly ListedRow[];
}
