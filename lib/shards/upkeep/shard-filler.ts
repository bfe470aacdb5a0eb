/** Fills a new shard file with what another store has of a project. */
import { openForWriting, type Connection } from '../file/shard-file.ts';
import { parseStored } from '../file/stored-bytes.ts';
import type { StoredProfile } from '../file/profile-table.ts';
import { textPlaceOf } from '../dictionary/shared-texts.ts';
import type { StoredEvent } from '../event.ts';
import { allDated } from '../ingest/enrich/change-dates.ts';
import { isFull, ShardWriter } from '../writer/shard-writer.ts';

/** Of a segment; the service merges them later. */
const LIMITS = { sealRows: 131_072, sealBytes: Infinity };
const DICTIONARY_BYTES = 128 << 20;

/** A user's properties as JSON, and times known besides the stored events. */
export interface FilledProfile {
  readonly userId: string;
  readonly properties: string;
  readonly firstSeen: number | null;
  readonly lastSeen: number | null;
  /** When each was changed (change-dates.ts), and the date of those that have none. */
  readonly dates: string;
  readonly undated: number;
}

/** `userId`: to whom the device is bound from then on; '' for nobody. */
export interface FilledBinding {
  readonly deviceId: string;
  readonly userId: string;
  readonly at: number;
  readonly undo: boolean;
}

export class ShardFiller {
  readonly #connection: Connection;
  readonly #shard: ShardWriter;

  /** @param nextArrival No event has this arrival number, or one above it. */
  constructor(project: string, file: string, nextArrival: number) {
    this.#connection = openForWriting(file);
    const same = { read: () => this.#connection, write: () => this.#connection };
    this.#shard = new ShardWriter(project, same, { stored: false, dictionaryBytes: DICTIONARY_BYTES });
    this.#shard.state.nextArrival = nextArrival;
  }

  /** Events of about the same time together make segments that are read less often. */
  addEvent(event: StoredEvent): void {
    this.#shard.events.addStored(event);
    if (isFull(this.#shard, LIMITS)) this.#shard.seal();
  }

  /** In the order in which they were made. */
  addBinding({ deviceId, userId, at, undo }: FilledBinding): void {
    const user = userId === '' ? 0 : this.#code(userId);
    this.#shard.bindings.add([{ device: this.#code(deviceId), user, at, undo }]);
  }

  /** One for each user. */
  addProfile({ userId, firstSeen, lastSeen, ...filled }: FilledProfile): void {
    const properties = parseStored<StoredProfile['properties']>(filled.properties);
    const profile = { firstSeen, lastSeen, properties, dates: allDated(Object.keys(properties), filled) };
    this.#shard.profiles.put(this.#code(userId), profile);
    if (isFull(this.#shard, LIMITS)) this.#shard.seal();
  }

  /** Leaves one whole file. */
  end(): void {
    this.#shard.seal();
    this.#connection.pragma('wal_checkpoint(TRUNCATE)');
    this.#connection.close();
  }

  #code(text: string): number {
    const { bytes, start, end, hash } = textPlaceOf(text);
    return this.#shard.state.ids.code(() => this.#connection, bytes, start, end, hash);
  }
}
