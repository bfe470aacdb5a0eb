/** The fields of a slice, as they cross threads. */
import type { Cell } from '../../../dsl/plan/table.ts';

export interface FieldsPartial {
  readonly kind: 'fields';
  /** One row of the answer per field. */
  readonly rows: readonly Cell[][];
}
