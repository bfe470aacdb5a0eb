/** What a seal stores of a shard: set aside, so that requests can be read meanwhile. */
import type { Binding } from '../../file/bindings.ts';
import type { Place } from '../../journal/entry.ts';
import type { PendingRows } from './pending-rows.ts';
import type { UsageRow } from '../../file/usage-counters.ts';

export interface Frozen {
  readonly rows: PendingRows;
  readonly bindings: readonly Binding[];
  readonly profiles: number;
  /** The first arrival number that is not in it. */
  readonly nextArrival: number;
  readonly usage: readonly UsageRow[];
  readonly journal: JournalShare;
}

/** A request in the journal. `bytes`: its size with the body unpacked. */
export interface Recorded {
  readonly place: Place;
  readonly bytes: number;
}

/** The unsealed part of the journal. */
export class JournalShare {
  bytes = 0;
  /** The first file; Infinity if none. */
  file = Infinity;
  /** Where each record is, in order of arrival. */
  readonly places: Place[] = [];
  /** When the oldest was added, as `monotonic()` counts; Infinity if none was. */
  since = Infinity;

  add({ place, bytes }: Recorded, now: number): void {
    this.bytes += bytes;
    this.file = Math.min(this.file, place.file.number);
    this.places.push(place);
    this.since = Math.min(this.since, now);
  }
}
