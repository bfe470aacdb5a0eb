/** The events of a funnel's steps. */
import type { GroupsPartial } from '../../metrics/groups-partial.ts';
import type { PersonEvents } from '../../persons/event-list.ts';

export interface FunnelPartial {
  readonly kind: 'funnel';
  /** All persons are below this. */
  readonly persons: number;
  /** Whether the segments of the query do not overlap in time. The same in all parts. */
  readonly inOrder: boolean;
  readonly steps: readonly PersonEvents[];
  readonly excluded: PersonEvents | null;
  /** What the labels of the first step stand for; null without groups. */
  readonly labels: GroupsPartial | null;
}
