/** In which buckets each person did something. */
import type { MaskArray } from '../../persons/person-masks.ts';

export interface MasksPartial {
  readonly kind: 'masks';
  /** By word, then by person: bucket b is bit b % 32 of word b / 32. */
  readonly words: readonly MaskArray[];
}
