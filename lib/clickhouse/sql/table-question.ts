/** Questions whose rows are read all together, and the cells that ClickHouse gives. */
import type { Cell, Observations } from '../../dsl/plan/table.ts';
import type { Cells } from './cells.ts';
import type { Sql } from './statement.ts';

/** Rows of ClickHouse's answer. */
export type Found = readonly Cells[];

/** A statement, and what the rows of its answer are in ours. */
export interface TableQuestion {
  readonly sql: Sql;
  readRows(found: Found): Cell[][];
  /** `choice … results` only. */
  readonly exposures?: (found: Found) => NonNullable<Observations['exposures']>;
}

/** A text, or null where there is none. */
export const textOrNull = (cell: unknown): string | null => (typeof cell === 'string' ? cell : null);

/** null of nothing. */
export const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);
