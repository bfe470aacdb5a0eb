/** The fields of a slice, as they cross threads. */
import type { Cell } from '../../dsl/table.ts';

export interface FieldsPartial {
  readonly kind: 'fields';
  /** A row of the answer each. */
  readonly rows: readonly Cell[][];
}
