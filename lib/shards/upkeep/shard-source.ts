/** A shard file that nobody writes, read in order to copy it. */
import type { StoredEvent } from '../event.ts';
import { allBindings } from '../file/bindings.ts';
import { ConnectionPool } from '../file/connections.ts';
import { allProfiles } from '../file/profile-table.ts';
import { hasCurrentFormat, openForReading, openForWriting } from '../file/shard-file.ts';
import { readUsage, type DayCounts } from '../file/usage-counters.ts';
import { StoredShardReader } from '../read/stored-shard-reader.ts';
import { ColumnCache, MOST_CACHED } from '../segment/column-cache.ts';
import { readMeta, readSegments } from '../segment/shard-meta.ts';
import type { StoredSegment } from '../segment/stored-segment.ts';
import { segmentEvents } from './segment-events.ts';
import type { FilledBinding, FilledProfile } from './shard-filler.ts';

export class ShardSource {
  readonly project: string;
  /** All arrival numbers are below this. */
  readonly nextArrival: number;
  readonly #file: string;
  readonly #connections = new ConnectionPool(openForReading, 1);
  readonly #reader: StoredShardReader;
  readonly #segments: readonly number[];

  /** Throws AppError `shard_damaged`. Everything of the shard must be sealed. */
  constructor(project: string, file: string) {
    this.project = project;
    this.#file = file;
    if (!hasCurrentFormat(this.#connections.get(file))) {
      this.#connections.closeAll();
      openForWriting(file).close(); // which upgrades a shard that no writer of this release has opened
    }
    const connection = this.#connections.get(file);
    const { nextArrival, incarnation = 0, identityVersion, profileVersion } = readMeta(connection);
    const segments = readSegments(connection);
    this.nextArrival = nextArrival;
    this.#segments = segments.map(({ id }) => id);
    const snapshot = { project, file, incarnation, segments, identityVersion, profileVersion };
    this.#reader = new StoredShardReader(snapshot, this.#connections, new ColumnCache(MOST_CACHED));
  }

  *segments(): Generator<StoredSegment> {
    for (const id of this.#segments) yield this.#reader.segment(id);
  }

  /** Of all segments, those that are wanted. */
  *events(isWanted: (time: number, arrival: number) => boolean): Generator<StoredEvent> {
    for (const segment of this.segments()) yield* segmentEvents(segment, isWanted);
  }

  /** Oldest first. */
  *bindings(): Generator<FilledBinding> {
    const ids = this.#reader.ids();
    for (const { device, user, at, undo } of allBindings(this.#connections.get(this.#file)))
      yield { deviceId: ids.text(device), userId: user === 0 ? '' : ids.text(user), at, undo };
  }

  *profiles(): Generator<FilledProfile> {
    const ids = this.#reader.ids();
    const connection = this.#connections.get(this.#file);
    const undated = readMeta(connection).datedSince;
    for (const { person, properties, firstSeen, lastSeen, dates } of allProfiles(connection))
      yield { userId: ids.text(person), properties, firstSeen, lastSeen, dates, undated };
  }

  usage(): readonly DayCounts[] {
    return readUsage(this.#connections.get(this.#file));
  }

  [Symbol.dispose](): void {
    this.#reader.forget();
    this.#connections.closeAll();
  }
}
