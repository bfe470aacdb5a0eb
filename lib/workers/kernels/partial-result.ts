/** What a part answers, as plain data that crosses threads. */
import type { VariantTally } from '../../dsl/finish/choice-results.ts';
import type { Cell, Observations, Table } from '../../dsl/plan/table.ts';
import type { ArrivalBlocks } from '../../shards/erase/arrival-set.ts';
import type { GroupsPartial, JoinedTexts } from '../metrics/metric-partial.ts';
import type { PersonEvents } from '../persons/event-list.ts';
import type { CohortArray, StartPlaces } from '../persons/first-starts.ts';
import type { UnparsedValue } from '../rows/typed-value.ts';
import type { MaskArray, MasksOfPersons } from '../persons/person-masks.ts';

export type PartialResult =
  /** Groups of one or more aggregations over the same range. */
  | { readonly kind: 'groups'; readonly groups: readonly GroupsPartial[] }
  | ListPartial
  | LatestPartial
  | ChoicePartial
  | FunnelPartial
  | RetentionPartial
  | AttributionPartial
  /** The buckets in which persons did something. */
  | ({ readonly kind: 'masks' } & MasksOfPersons)
  /** By person, how many events. */
  | { readonly kind: 'did'; readonly counts: Uint32Array }
  /** The arrival numbers of all rows that pass. */
  | { readonly kind: 'arrivals'; readonly blocks: ArrivalBlocks }
  /** One row of the answer for each field of a slice. */
  | { readonly kind: 'fields'; readonly rows: readonly Cell[][] }
  /** The answer itself, for a plan that runs in one part. */
  | { readonly kind: 'table'; readonly table: Table; readonly sessions?: NonNullable<Observations['sessions']> };

export type PartialOf<K extends PartialResult['kind']> = PartialResult & { readonly kind: K };

export interface ListPartial {
  readonly kind: 'list';
  /** Rows of the part that pass; `rows` are those that a page may need. */
  readonly total: number;
  /** Of them, those on the pages before. */
  readonly passed: number;
  readonly rows: readonly { readonly time: number; readonly arrival: number; readonly cells: readonly Cell[] }[];
  /** Bytes of rows that are larger than usual ones, beyond what those take. */
  readonly beyond: number;
}

/** The newest values, one element per entity; with `asOf`, per entity and bucket. */
export interface LatestPartial {
  readonly kind: 'latest';
  readonly entities: JoinedTexts;
  readonly times: Float64Array;
  readonly arrivals: Float64Array;
  /** With `asOf`, in which bucket of the range or before its end each value was set; null without. */
  readonly buckets: Uint32Array | null;
  /** As stored, with its type; a time in milliseconds. */
  readonly values: readonly UnparsedValue[];
}

export interface ChoicePartial {
  readonly kind: 'choice';
  /** For persons who saw only one variant; none is empty. */
  readonly tallies: readonly VariantTally[];
  /** Persons who saw several variants and count for none. */
  readonly several: number;
}

/** The events of a funnel's steps. */
export interface FunnelPartial {
  readonly kind: 'funnel';
  /** All persons are below this. */
  readonly persons: number;
  /** Whether the segments of the query do not overlap in time. The same in all parts. */
  readonly inOrder: boolean;
  readonly steps: readonly PersonEvents[];
  readonly excluded: PersonEvents | null;
  /** All events, if only the next of all may follow. */
  readonly all: PersonEvents | null;
  /** Of one part alone, if its persons are actors with one value of what their steps have in common; else null. */
  readonly seats: { readonly actors: number; readonly actorOf: Uint32Array; readonly values: Uint32Array } | null;
  /** What the labels of the first step stand for; null without groups. */
  readonly labels: GroupsPartial | null;
}

/** The touches of a part, and its conversions. */
export interface AttributionPartial {
  readonly kind: 'attribution';
  /** All persons are below this. */
  readonly persons: number;
  /** Whether the segments of the query do not overlap in time. The same in all parts. */
  readonly inOrder: boolean;
  readonly touches: PersonEvents;
  /** What the labels of touches stand for. */
  readonly labels: GroupsPartial;
  /** With a metric, labelled by where their numbers are in `numbers`, + 1; 0: they have none. */
  readonly conversions: PersonEvents;
  readonly numbers: Float64Array;
  /** Conversions of nobody, who has no touches. */
  readonly ofNobody: { readonly conversions: number; readonly numbers: Float64Array };
}

/** Who started when, and who was present in which buckets. */
export interface RetentionPartial {
  readonly kind: 'retention';
  /** Those who started or were present, ascending; what follows is in their order. */
  readonly persons: Uint32Array;
  readonly cohorts: CohortArray;
  readonly places: StartPlaces | null;
  /** By word: bit k is bucket k, or the k-th after the cohort's if `relative`. */
  readonly seen: readonly MaskArray[];
  readonly relative: boolean;
  /** What the labels of `places` stand for; null without groups. */
  readonly labels: GroupsPartial | null;
}

/** The partials, which must all be of one kind. */
export function onlyKind<K extends PartialResult['kind']>(kind: K, partials: readonly PartialResult[]): PartialOf<K>[] {
  const isKind = (partial: PartialResult): partial is PartialOf<K> => partial.kind === kind;
  const found = partials.filter(isKind);
  if (found.length !== partials.length) throw new Error(`a part answered with another partial than ${kind}`);
  return found;
}

/** The partial of a plan that runs in one part. */
export function sole<K extends PartialResult['kind']>(kind: K, partials: readonly PartialResult[]): PartialOf<K> {
  const [partial] = onlyKind(kind, partials);
  if (partial === undefined || partials.length > 1) throw new Error('a plan for one part ran in several');
  return partial;
}
