import type { Cells } from '../../dsl/time/windows.ts';

/** Groups by cells, as they are merged. */
export interface CellGroups {
  readonly cells: Cells;
  /** By merged group: which of the groups without their time it is, and its cell. */
  readonly outers: Uint32Array;
  readonly cellOf: Uint32Array;
  /** How many groups there are without their time. */
  readonly count: number;
}
