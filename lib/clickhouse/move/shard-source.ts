/** A shard file that nobody writes, read in order to copy it. */
import { allBindings } from '../../shards/file/bindings.ts';
import { Connections } from '../../shards/file/connections.ts';
import { allProfiles } from '../../shards/file/profile-table.ts';
import { openForReading } from '../../shards/file/shard-file.ts';
import { readUsage, type UsageRow } from '../../shards/file/usage-counters.ts';
import { StoredShardReader } from '../../shards/read/stored-shard-reader.ts';
import { ColumnCache } from '../../shards/segment/column-cache.ts';
import { readMeta, readSegments } from '../../shards/segment/shard-meta.ts';
import type { FilledBinding, FilledProfile } from '../../shards/upkeep/shard-filler.ts';
import type { StoredSegment } from '../../shards/segment/stored-segment.ts';

/** Decoded columns; each segment is read once or twice. Bytes. */
const CACHE = 64 << 20;

export class ShardSource {
  readonly project: string;
  /** All arrival numbers are below this. */
  readonly nextArrival: number;
  readonly #file: string;
  readonly #connections = new Connections(openForReading, 1);
  readonly #reader: StoredShardReader;
  readonly #segments: readonly number[];

  /** Throws AppError `shard_damaged`. Everything of the shard must be sealed. */
  constructor(project: string, file: string) {
    this.project = project;
    this.#file = file;
    const connection = this.#connections.get(file);
    const { nextArrival, incarnation = 0, identityVersion, profileVersion } = readMeta(connection);
    const segments = readSegments(connection);
    this.nextArrival = nextArrival;
    this.#segments = segments.map(({ id }) => id);
    const snapshot = { project, file, incarnation, segments, identityVersion, profileVersion };
    this.#reader = new StoredShardReader(snapshot, this.#connections, new ColumnCache(CACHE));
  }

  *segments(): Generator<StoredSegment> {
    for (const id of this.#segments) yield this.#reader.segment(id);
  }

  /** Oldest first. */
  *bindings(): Generator<FilledBinding> {
    const ids = this.#reader.ids();
    for (const { device, user, at, undo } of allBindings(this.#connections.get(this.#file)))
      yield { deviceId: ids.text(device), userId: user === 0 ? '' : ids.text(user), at, undo };
  }

  *profiles(): Generator<FilledProfile> {
    const ids = this.#reader.ids();
    for (const { person, properties, firstSeen, lastSeen } of allProfiles(this.#connections.get(this.#file)))
      yield { userId: ids.text(person), properties, firstSeen, lastSeen };
  }

  usage(): readonly UsageRow[] {
    return readUsage(this.#connections.get(this.#file));
  }

  [Symbol.dispose](): void {
    this.#reader.forget();
    this.#connections.closeAll();
  }
}
