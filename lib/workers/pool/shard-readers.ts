/** The shards that one thread has open for queries, and what it caches of each: bounded in number, files and bytes. */
import { fileSize } from '../../base/files/file-size.ts';
import { Lru } from '../../base/lru.ts';
import { limitColumns } from '../../primitives/columns.ts';
import { ColumnCache } from '../../shards/segment/column-cache.ts';
import { RARELY_READ } from '../../shards/segment/columns.ts';
import { guarded, hasCurrentFormat, openForReading } from '../../shards/file/shard-file.ts';
import { readSnapshot } from '../../shards/segment/shard-meta.ts';
import { StaleSnapshot, type ShardAtRest, type ShardReader, type Snapshot } from '../../shards/shard-reader.ts';
import { isImage } from '../../shards/file/shard-image.ts';
import { ReadConnections } from '../../shards/file/read-connections.ts';
import { StoredShardReader } from '../../shards/read/stored-shard-reader.ts';
import { CodedProfiles } from '../rows/coded-profiles.ts';
import { PeopleList } from '../rows/people-list.ts';
import { ProfileDictionaries, type ProfileSource } from '../rows/profile-dictionaries.ts';

/** Shards whose dictionaries and segment lists are kept: the column cache does not hold these. */
const MAX_SHARDS = 512;

interface Shard {
  readonly incarnation: number;
  readonly reader: StoredShardReader;
  /** The one last read. */
  snapshot: Snapshot;
}

export class ShardReaders {
  readonly #cache: ColumnCache;
  readonly #cacheBytes: number;
  readonly #connections: ReadConnections;
  readonly #shards = new Lru<string, Shard>(MAX_SHARDS, ({ reader }) => reader.forget());

  /**
   * @param cacheBytes Bytes of decoded columns.
   * @param readShards Files open at once: descriptors are few, shards are many.
   * @param open Opens the file of a snapshot.
   */
  constructor(
    { cacheBytes, readShards }: { readonly cacheBytes: number; readonly readShards: number },
    open = openForReading,
  ) {
    this.#cacheBytes = cacheBytes;
    this.#cache = new ColumnCache(cacheBytes);
    limitColumns(cacheBytes);
    this.#connections = new ReadConnections({ most: readShards, open, leftOut: RARELY_READ });
  }

  get cacheBytes(): number {
    return this.#cache.bytes;
  }

  /** @param free The share, 0 to 1, that queries leave of the memory they share with columns. */
  leaveRoom(free: number): void {
    this.#cache.limit(this.#cacheBytes * free);
  }

  /** What the shard has now. Throws StaleSnapshot if its writer must make or mend the file first. */
  atRest({ project, file }: ShardAtRest): Snapshot {
    if (fileSize(file) === 0 || fileSize(`${file}-wal`) > 0) throw new StaleSnapshot();
    const snapshot = guarded(file, () => {
      const connection = this.#connections.fresh(file);
      const read = (): Snapshot | null => readSnapshot(connection, project, file);
      if (isImage(connection)) return read();
      return connection.transaction(() => (hasCurrentFormat(connection) ? read() : null))();
    });
    if (snapshot === null) throw new StaleSnapshot();
    return snapshot;
  }

  reader(snapshot: Snapshot): ShardReader {
    return this.#shard(snapshot).reader;
  }

  /**
   * Cached with the columns: properties until a profile changes, the list of people until events arrive. (Where they arrive all
   * the time, each question about profiles would read all of them anew.)
   * @param take Called with the bytes of the profiles before they are read; throws if that is too much.
   */
  profiles(snapshot: Snapshot, take: (bytes: number) => void): ProfileDictionaries {
    const { reader } = this.#shard(snapshot);
    const version = snapshot.profileVersion;
    const segments = snapshot.segments.map(({ id }) => id).join();
    const coded = (): CodedProfiles => {
      const bytes = reader.bytesOfProperties(version);
      take(bytes);
      return reader.cached(`properties/${version}`, () => ({
        value: new CodedProfiles(reader.storedProfiles(version)),
        bytes,
      }));
    };
    const list = ({ stored }: CodedProfiles): PeopleList => {
      const bytes = reader.bytesOfPeople();
      take(bytes);
      return reader.cached(`people/${version}/${segments}`, () => {
        return { value: new PeopleList(reader.profiles(snapshot, stored)), bytes };
      });
    };
    const some: ProfileSource['some'] = (persons, read) => reader.fromProperties(version, persons, read);
    return new ProfileDictionaries({ list, coded, some }, reader.ids());
  }

  forget(project: string): void {
    this.#shards.delete(project)?.reader.forget();
  }

  #shard(snapshot: Snapshot): Shard {
    const { project } = snapshot;
    const known = this.#shards.get(project);
    if (known !== undefined && known.incarnation === snapshot.incarnation) {
      const { segments, identityVersion, profileVersion } = known.snapshot;
      const hasOthers = segments.length !== snapshot.segments.length || changed(segments, snapshot.segments);
      if (hasOthers) known.reader.keepOnly(snapshot);
      if (hasOthers || identityVersion !== snapshot.identityVersion || profileVersion !== snapshot.profileVersion)
        this.#connections.forgetCopies(snapshot.file);
      known.snapshot = snapshot;
      return known;
    }
    this.forget(project);
    const reader = new StoredShardReader(snapshot, this.#connections, this.#cache);
    const shard: Shard = { incarnation: snapshot.incarnation, reader, snapshot };
    this.#shards.set(project, shard);
    return shard;
  }
}

function changed(a: Snapshot['segments'], b: Snapshot['segments']): boolean {
  return a.some(({ id }, at) => id !== b[at]?.id);
}
