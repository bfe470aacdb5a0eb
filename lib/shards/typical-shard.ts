/**
 * A small shard in memory, with what events of a product commonly have: threads try their code on it before they serve
 * (lib/workers/warm-up.ts). What matters is the types of columns, narrow and wide, dense and sparse, not what they say.
 */
import type { Snapshot } from './column.ts';
import type { PendingField } from './pending-field.ts';
import { PendingRows } from './pending-rows.ts';
import { hashBytes } from './scan/hash.ts';
import { encodeSegment } from './segment/encode.ts';
import { timeOrder } from './segment/sort.ts';
import { storeSegment } from './segment/store.ts';
import { openInMemory, type Connection } from './shard-file.ts';
import { ENRICHED, EVENT_PROPERTY, ShardState, type SegmentEntry } from './shard-state.ts';
import type { TextTable } from './text-table.ts';

/** Long enough for loops to be compiled within some rounds; 256 is a block of packed columns. */
const SEGMENT_ROWS = 6_144;
const SEGMENTS = 2;
const USERS = 700;
const PATHS = 600; // more than a byte holds
const START = Date.UTC(2026, 0, 1);
const DAYS = 30;
const DAY = 86_400_000;

export interface TypicalShard {
  readonly connection: Connection;
  readonly snapshot: Snapshot;
  /** Events lie before it. Milliseconds since the epoch. */
  readonly end: number;
}

export function makeTypicalShard(): TypicalShard {
  const connection = openInMemory();
  const maker = new Maker();
  const segments = Array.from({ length: SEGMENTS }, (_, nth) => maker.seal(connection, nth));
  const versions = { incarnation: 1, identityVersion: 0, profileVersion: 0 };
  return {
    connection,
    snapshot: { project: 'typical', file: ':memory:', segments, ...versions },
    end: START + DAYS * DAY,
  };
}

class Maker {
  readonly #state = new ShardState();
  readonly #fields = {
    browser: this.#field(EVENT_PROPERTY, 'browser'),
    path: this.#field(EVENT_PROPERTY, 'path'),
    amount: this.#field(EVENT_PROPERTY, 'amount'),
    duration: this.#field(EVENT_PROPERTY, 'duration'),
    country: this.#field(ENRICHED, '_country'),
  };
  #seed = 1;

  /** One more segment, of the nth part of the days; some of its rows are a day late. */
  seal(connection: Connection, nth: number): SegmentEntry {
    const rows = new PendingRows();
    for (let at = 0; at < SEGMENT_ROWS; at++) this.#push(rows, nth, at);
    const fields = this.#state.fields.flatMap((field) => field.raw() ?? []);
    const raw = { ...rows.raw(), fields };
    return connection.transaction(() => {
      const entry = storeSegment(connection, encodeSegment(raw, timeOrder(raw)), true);
      this.#state.save(connection);
      this.#state.saved();
      for (const field of this.#state.fields) field.clear();
      return entry;
    })();
  }

  #push(rows: PendingRows, nth: number, at: number): void {
    const late = this.#below(50) === 0 ? DAY : 0;
    const time = Math.floor(START + (nth + at / SEGMENT_ROWS) * ((DAYS * DAY) / SEGMENTS));
    const user = this.#below(USERS);
    const type = TYPES[this.#below(TYPES.length)]!;
    const ids = {
      type: code(this.#state.types.table, type),
      user: this.#below(3) === 0 ? code(this.#state.ids.table, `user ${user}`) : 0,
      device: code(this.#state.ids.table, `device ${user}`),
      session: 0,
    };
    const row = rows.push(Math.max(START, time - late), this.#state.nextArrival++, time, ids);
    this.#text(row, this.#fields.browser, `browser ${this.#below(5)}`);
    this.#text(row, this.#fields.path, `/docs/${this.#below(PATHS)}`);
    this.#text(row, this.#fields.country, `C${this.#below(40)}`);
    this.#fields.duration.pushNumber(row, this.#below(10_000) / 8);
    if (type === 'purchase') this.#fields.amount.pushNumber(row, this.#below(10_000) / 100);
  }

  #text(row: number, field: PendingField, text: string): void {
    const bytes = Buffer.from(text);
    field.pushCode(row, field.code(bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length)));
  }

  #field(space: typeof EVENT_PROPERTY | typeof ENRICHED, key: string): PendingField {
    if (space === ENRICHED) return this.#state.enrichedField(key);
    const bytes = Buffer.from(key);
    return this.#state.propertyField(space, bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length))!;
  }

  /** The same numbers in every thread: a linear congruential generator (Numerical Recipes). */
  #below(limit: number): number {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#seed / 2 ** 32) * limit);
  }
}

const TYPES = ['page_view', 'page_view', 'page_view', 'click', 'search', 'signup', 'activate', 'purchase'];

function code(table: TextTable, text: string): number {
  const bytes = Buffer.from(text);
  return table.code(bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length));
}
