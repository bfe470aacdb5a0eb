/** Fills a new shard file with what another store has of a project. */
import { encodeBindings, type Binding } from '../file/bindings.ts';
import { openForWriting, type Connection } from '../file/shard-file.ts';
import type { ProfileRow } from '../file/profile-table.ts';
import { placeOf } from '../dictionary/shared-texts.ts';
import type { StoredEvent } from '../event.ts';
import { PendingRows } from '../ingest/rows/pending-rows.ts';
import { RowBuilder } from '../ingest/rows/row-builder.ts';
import { ShardState } from '../ingest/shard-state.ts';
import { packFields } from '../seal/packed-fields.ts';
import { storeBatch } from '../seal/seal-batch.ts';

/** Of a segment; the service merges them later. */
const ROWS = 131_072;
const TEXT_BYTES = 32 << 20;
const DICTIONARY_BYTES = 128 << 20;
/** Profiles stored at a time. */
const PROFILES = 10_000;

/** A user's properties as JSON, and times known besides the stored events. */
export interface FilledProfile {
  readonly userId: string;
  readonly properties: string;
  readonly firstSeen: number | null;
  readonly lastSeen: number | null;
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
  readonly #state = new ShardState(DICTIONARY_BYTES);
  readonly #rows = new PendingRows();
  readonly #builder: RowBuilder;
  #bindings: Binding[] = [];
  #profiles: ProfileRow[] = [];

  /** @param nextArrival No event has this arrival number, or one above it. */
  constructor(file: string, nextArrival: number) {
    this.#connection = openForWriting(file);
    this.#builder = new RowBuilder(this.#state, this.#rows, () => this.#connection);
    this.#state.nextArrival = nextArrival;
  }

  /** Events of about the same time together make segments that are read less often. */
  addEvent(event: StoredEvent): void {
    this.#builder.addStored(event);
    const text = this.#rows.textBytes + this.#state.freshText;
    if (this.#rows.length >= ROWS || text >= TEXT_BYTES) this.#store();
  }

  /** In the order in which they were made. */
  addBinding({ deviceId, userId, at, undo }: FilledBinding): void {
    this.#bindings.push({ device: this.#code(deviceId), user: userId === '' ? 0 : this.#code(userId), at, undo });
  }

  /** One for each user. */
  addProfile({ userId, properties, firstSeen, lastSeen }: FilledProfile): void {
    this.#profiles.push({ person: this.#code(userId), firstSeen, lastSeen, properties });
    if (this.#profiles.length >= PROFILES) this.#store();
  }

  /** Leaves one whole file. */
  end(): void {
    this.#store();
    this.#connection.pragma('wal_checkpoint(TRUNCATE)');
    this.#connection.close();
  }

  #code(text: string): number {
    const { bytes, start, end, hash } = placeOf(text);
    return this.#state.ids.code(() => this.#connection, bytes, start, end, hash);
  }

  #store(): void {
    const [state, bindings, profiles] = [this.#state, this.#bindings, this.#profiles];
    const { identityVersion: version, profileVersion, nextArrival } = state;
    const after = {
      identityVersion: version + bindings.length,
      profileVersion: profiles.length > 0 ? profileVersion + 1 : profileVersion,
    };
    for (const field of state.fields) field.freeze();
    const { segment, textRuns } = storeBatch(this.#connection, {
      state: state.batch({ ...after, nextArrival, usage: [] }),
      rows: this.#rows.length > 0 ? this.#rows.raw() : null,
      fields: packFields(state.fields.flatMap((field) => field.raw(this.#rows.length) ?? [])),
      bindings: { version, data: encodeBindings(bindings) },
      profiles,
    });
    if (segment) state.segments = [...state.segments, segment];
    Object.assign(state, after);
    state.saved(textRuns);
    for (const field of state.fields) field.sealed();
    this.#rows.clear();
    this.#builder.use(this.#rows, null);
    this.#bindings = [];
    this.#profiles = [];
  }
}
