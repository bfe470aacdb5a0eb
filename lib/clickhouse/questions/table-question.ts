/** Questions whose rows are read all together, and the cells that ClickHouse gives. */
import type { Cell, Observations } from '../../dsl/plan/table.ts';
import type { Cells } from '../sql/cells.ts';
import type { Sql } from '../sql/statement.ts';

/** Rows of ClickHouse's answer. */
export type Found = readonly Cells[];

/** A statement, and what the rows of its answer are in ours. */
export interface TableQuestion {
  readonly sql: Sql;
  readRows(found: Found): Cell[][];
  /** `choice … results` only. */
  readonly exposures?: (found: Found) => NonNullable<Observations['exposures']>;
}

/** null of nothing. */
export const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);
