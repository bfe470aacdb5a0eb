/** The fields of a slice, as they cross threads. */
import type { Cell } from '../../../dsl/plan/table.ts';

export interface FieldsPartial {
  readonly kind: 'fields';
  /** A row of the answer each. */
  readonly rows: readonly Cell[][];
}
