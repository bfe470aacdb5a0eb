/** Newest values of entities as they cross threads. */
import type { Cell } from '../../../dsl/plan/table.ts';
import type { PackedTexts } from '../../metrics/metric-partial.ts';

/** One element per entity. */
export interface LatestPartial {
  readonly kind: 'latest';
  readonly entities: PackedTexts;
  readonly times: Float64Array;
  readonly arrivals: Float64Array;
  /** As sent, with its type; a time in milliseconds. */
  readonly values: readonly Cell[];
}
