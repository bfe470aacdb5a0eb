/** In which buckets each person did something. */
import type { MaskArray } from '../persons/person-masks.ts';

export interface MasksPartial {
  readonly kind: 'masks';
  /** By person: bit k is bucket k. */
  readonly masks: MaskArray;
}
