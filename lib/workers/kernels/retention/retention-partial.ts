/** Who started when, and who was present in which buckets. */
import type { GroupsPartial } from '../../metrics/groups-partial.ts';
import type { CohortArray, StartPlaces } from '../../persons/first-starts.ts';
import type { MaskArray } from '../../persons/person-masks.ts';

export interface RetentionPartial {
  readonly kind: 'retention';
  readonly cohorts: CohortArray;
  readonly places: StartPlaces | null;
  /** By word and person: bit k is bucket k, or the k-th after the cohort's if `relative`. */
  readonly seen: readonly MaskArray[];
  readonly relative: boolean;
  /** What the labels of `places` stand for; null without groups. */
  readonly labels: GroupsPartial | null;
}
