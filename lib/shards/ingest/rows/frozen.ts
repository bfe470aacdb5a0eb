/** What a seal takes of a shard: set apart, so that requests can be taken while it is being stored. */
import type { Binding } from '../../file/bindings.ts';
import type { Place } from '../../journal/entry.ts';
import type { PendingRows } from './pending-rows.ts';
import type { UsageRow } from '../../file/usage-counters.ts';

export interface Frozen {
  readonly rows: PendingRows;
  readonly bindings: readonly Binding[];
  /** How many profiles. */
  readonly profiles: number;
  /** Arrivals from here on are not in it. */
  readonly nextArrival: number;
  readonly usage: readonly UsageRow[];
  readonly journal: JournalShare;
}

/** A request in the journal. `bytes`: it has, its body unpacked. */
export interface Recorded {
  readonly place: Place;
  readonly bytes: number;
}

/** What of the journal is not sealed. */
export class JournalShare {
  bytes = 0;
  /** The first file; Infinity: there is none. */
  file = Infinity;
  /** Of all records, in order of arrival. */
  readonly places: Place[] = [];
  /** When the oldest was taken, as `monotonic()` counts; Infinity: none was. */
  since = Infinity;

  add({ place, bytes }: Recorded, now: number): void {
    this.bytes += bytes;
    this.file = Math.min(this.file, place.file.number);
    this.places.push(place);
    this.since = Math.min(this.since, now);
  }
}
