/**
 * A small in-memory shard with what a product's events commonly have.
 * What matters is the types of columns, narrow and wide, dense and sparse, not their contents.
 */
import { encodeBindings, storeBindings, type DeviceBinding } from '../../lib/shards/file/bindings.ts';
import type { Snapshot } from '../../lib/shards/shard-reader.ts';
import { encodeTexts } from '../../lib/shards/segment/encoding/texts.ts';
import type { PendingField } from '../../lib/shards/ingest/rows/pending-field.ts';
import { PendingRows } from '../../lib/shards/ingest/rows/pending-rows.ts';
import { hashBytes } from '../../lib/shards/hashing/hash.ts';
import { storeState } from '../../lib/shards/seal/seal-batch.ts';
import { COLUMN } from '../../lib/shards/segment/columns.ts';
import { encodeSegment, timeOrder } from '../../lib/shards/segment/encode.ts';
import { storeSegment } from '../../lib/shards/segment/store.ts';
import { openInMemory } from './shard-in-memory.ts';
import type { Connection } from '../../lib/shards/file/shard-file.ts';
import { textPlaceOf, type SharedTexts } from '../../lib/shards/dictionary/shared-texts.ts';
import { ShardState, SPACE } from '../../lib/shards/ingest/shard-state.ts';
import type { SegmentEntry } from '../../lib/shards/segment/shard-meta.ts';

/** Enough for loops to be compiled within some rounds; not a multiple of blocks of 256, as few columns are. */
const SEGMENT_ROWS = 6_100;
const SEGMENTS = 2;
const USERS = 700;
/** Ids and sessions of the project: their codes are wide in the last segment and narrow in the first. */
const IDS = 70_000;
const WIDE = 66_000;
const ROWS_OF_SESSION = 6;
const PATHS = 600; // more than fit in a byte
const BROWSERS = 2; // few: percentiles of many values are computed differently
const START = Date.UTC(2026, 0, 1);
const DAYS = 30;
const DAY = 86_400_000;
/** More than needed. */
const DICTIONARY_BYTES = 64 << 20;

export interface TypicalShard {
  readonly connection: Connection;
  readonly snapshot: Snapshot;
  /** Events come before it. Milliseconds since the epoch. */
  readonly end: number;
}

export function makeTypicalShard(): TypicalShard {
  const connection = openInMemory();
  for (const field of [COLUMN.userId, COLUMN.sessionId]) storeIds(connection, field);
  storeBindings(connection, 0, encodeBindings(bindings()));
  const maker = new Maker();
  const segments = Array.from({ length: SEGMENTS }, (_, nth) => maker.seal(connection, nth));
  const versions = { incarnation: 1, identityVersion: USERS, profileVersion: 0 };
  return {
    connection,
    snapshot: { project: 'typical', file: ':memory:', segments, ...versions },
    end: START + DAYS * DAY,
  };
}

class Maker {
  readonly #state = new ShardState(DICTIONARY_BYTES);
  readonly #fields = {
    browser: this.#field(SPACE.event, 'browser'),
    path: this.#field(SPACE.event, 'path'),
    amount: this.#field(SPACE.event, 'amount'),
    duration: this.#field(SPACE.event, 'duration'),
    country: this.#field(SPACE.enriched, '_country'),
  };
  #seed = 1;

  /** Another segment, for the nth part of the days; some of its rows are a day late. */
  seal(connection: Connection, nth: number): SegmentEntry {
    const rows = new PendingRows();
    for (let at = 0; at < SEGMENT_ROWS; at++) this.#push(rows, nth, at);
    this.#state.freeze();
    const fields = this.#state.fields.flatMap((field) => field.raw(SEGMENT_ROWS) ?? []);
    const raw = { ...rows.raw(), fields };
    return connection.transaction(() => {
      const entry = storeSegment(
        connection,
        encodeSegment(raw, timeOrder(raw), { secret: this.#state.idSecret, since: -Infinity }),
        true,
      );
      const { identityVersion, profileVersion, nextArrival } = this.#state;
      const state = this.#state.batch({ identityVersion, profileVersion, nextArrival, usage: [] });
      this.#state.saved(storeState(connection, state));
      for (const field of this.#state.fields) field.sealed();
      return entry;
    })();
  }

  #push(rows: PendingRows, nth: number, at: number): void {
    const late = this.#below(50) === 0 ? DAY : 0;
    const time = Math.floor(START + (nth + (at - this.#below(4)) / SEGMENT_ROWS) * ((DAYS * DAY) / SEGMENTS));
    const type = TYPES[this.#below(TYPES.length)]!;
    const first = nth === SEGMENTS - 1 ? WIDE : 1;
    const device = first + this.#below(USERS);
    const session = first + Math.floor((at + this.#below(40)) / ROWS_OF_SESSION);
    const ids = {
      ...{ type: code(this.#state.types, type), device },
      user: this.#below(3) === 0 ? device + USERS : 0,
      session: this.#below(4) === 0 ? 0 : session,
    };
    const row = rows.push(Math.max(START, time - late), this.#state.nextArrival++, time, ids);
    this.#text(row, this.#fields.browser, `browser ${this.#below(BROWSERS)}`);
    this.#text(row, this.#fields.path, `/docs/${this.#below(PATHS)}`);
    this.#text(row, this.#fields.country, `C${this.#below(40)}`);
    this.#fields.duration.pushNumber(row, this.#below(10_000) / 8);
    if (type === 'purchase') this.#fields.amount.pushNumber(row, this.#below(10_000) / 100);
  }

  #text(row: number, field: PendingField, text: string): void {
    const bytes = Buffer.from(text);
    field.pushCode(row, field.code(bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length)));
  }

  #field(space: typeof SPACE.event | typeof SPACE.enriched, key: string): PendingField {
    if (space === SPACE.enriched) return this.#state.unlimitedField(space, key);
    const bytes = Buffer.from(key);
    return this.#state.propertyField(space, bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length))!;
  }

  /** The same numbers in every thread: a linear congruential generator (Numerical Recipes). */
  #below(limit: number): number {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#seed / 2 ** 32) * limit);
  }
}

/** Every device of the first segment is bound to a user. */
function bindings(): DeviceBinding[] {
  return Array.from({ length: USERS }, (_, at) => ({ device: at + 1, user: at + 1 + USERS, at: START, undo: false }));
}

/** A dictionary of hexadecimal ids. */
function storeIds(connection: Connection, field: number): void {
  const texts = Array.from({ length: IDS }, (_, at) => (0x100000 + at).toString(16));
  const bytes = Buffer.from(texts.join(''));
  const ends = Uint32Array.from(texts, (text, at) => (at + 1) * text.length);
  const data = encodeTexts({ count: IDS, types: new Uint8Array(IDS), ends, bytes });
  connection.prepare('INSERT INTO dictionaries (field, first, count, data) VALUES (?, 1, ?, ?)').run(field, IDS, data);
}

const TYPES = ['page_view', 'page_view', 'page_view', 'click', 'search', 'signup', 'activate', 'purchase'];

function code(texts: SharedTexts, text: string): number {
  const { bytes, start, end, hash } = textPlaceOf(text);
  return texts.code(neverRead, bytes, start, end, hash);
}

/** For dictionaries fully in memory. */
function neverRead(): Connection {
  throw new Error('a dictionary in memory needs no file');
}
