/** A segment of a shard file, as the query engine sees it. */
import { HOUR_MS } from '../../base/day.ts';
import { lowerBound } from '../../base/lower-bound.ts';
import { largestOf, makeColumn, WORDS } from '../../primitives/columns.ts';
import { type MemoryArray, primitives, Scratch } from '../../primitives/memory.ts';
import { briefColumns } from './brief-columns.ts';
import type { CachedValue } from './column-cache.ts';
import type {
  Column,
  ColumnKey,
  Dictionary,
  Identity,
  InsertIdColumn,
  Segment,
  SegmentSummary,
} from '../shard-reader.ts';
import { decodeIntegers } from './encoding/integers.ts';
import { decodeSequence } from './encoding/sequences.ts';
import { splitSections } from './encoding/sections.ts';
import { bytesOfTexts } from './encoding/texts.ts';
import type { Connection } from '../file/shard-file.ts';
import { TextListDictionary } from './text-list-dictionary.ts';
import { COLUMN, FIRST_FIELD } from './columns.ts';
import {
  arraysOfField,
  bytesOfField,
  type NarrowCodes,
  decodeCodesInto,
  decodeField,
  decodeNarrow,
  type TriplesOf,
} from './decode.ts';
import { decodeReceived } from './insert-ids/insert-filter.ts';
import {
  bytesOfIds,
  decodeInsertIds,
  type InsertIdRows,
  insertIdText,
  numberMadeIds,
} from './insert-ids/insert-ids.ts';
import { floatsOfRows, personsOfRows, wordsOfRows, writePersons } from './row-persons.ts';
import { decodeTypeCounts, decodeTypeRows, rowsOfType, type TypeCounts, typeGroups } from './type-rows.ts';
import { threshold } from '../../base/threshold.ts';

/** The shard that a segment belongs to. */
export interface SegmentSource {
  /** Prefix of the keys of the shard's dictionaries. */
  readonly name: string;
  read<T>(use: (connection: Connection) => T): T;
  cached<T>(key: string, make: () => CachedValue<T>): T;
  isCached(key: string): boolean;
  /** The counts of a segment's event types, in stored form. */
  typesOf(segment: number): string;
  /** The arrival of the first insert id in a segment's filter; null if it no longer has one. */
  firstId(segment: number): number | null;
  /** The bytes of a segment's column; null if no row has the field. */
  columnBytes(segment: number, field: number): Buffer | null;
  /** Calls `use` with the bytes of columns that may have their own texts: insert ids and fields. */
  eachTextColumn(segment: number, use: (data: Buffer) => void): void;
  /** The number of a stored column; null if the project had no such field when the segment was sealed. */
  fieldNumber(key: string, segment: number): number | null;
  fieldKeys(segment: number): ReadonlyMap<string, number>;
  /** The project's dictionary of a field. It is read on if segments were added since, as they may use codes that it lacks. */
  dictionary(field: number): Dictionary;
}

/** If fewer rows than one in so many are wanted, they are read without decoding and keeping the whole column. */
const FEW = threshold('rows of a column a row read', 4);
const NO_ROWS = new Uint32Array(0);
const devicesRoom = new Scratch();
const usersRoom = new Scratch();

export class StoredSegment implements Segment {
  readonly id: number;
  readonly rows: number;
  readonly first: number;
  readonly last: number;
  readonly #shard: SegmentSource;
  #keys: readonly ColumnKey[] | null = null;
  readonly #triples: TriplesOf = () => briefColumns.triples(this.#name, () => this.#bytes(COLUMN.triples));

  constructor(shard: SegmentSource, { id, rows, first, last }: SegmentSummary) {
    this.#shard = shard;
    this.id = id;
    this.rows = rows;
    this.first = first;
    this.last = last;
  }

  get types(): TypeCounts {
    return this.#cached('types', () => {
      const value = decodeTypeCounts(this.#shard.typesOf(this.id));
      return { value, bytes: value.codes.byteLength * 2 };
    });
  }

  times(): Float64Array {
    return this.#sequence(COLUMN.time);
  }

  arrivals(): Float64Array {
    return this.#sequence(COLUMN.arrival);
  }

  /** For compaction: the arrival of each row, as far as recent insert ids need it; null if no longer known. */
  received(): Float64Array | null {
    const bytes = this.#shard.columnBytes(this.id, COLUMN.received);
    const first = bytes && this.#shard.firstId(this.id);
    return bytes && first !== null ? decodeReceived(bytes, { first }) : null;
  }

  rowAt(time: number): number {
    if (time <= this.first) return 0;
    if (time > this.last) return this.rows;
    if (time % HOUR_MS === 0) {
      const hours = this.#hours();
      if (hours.length > 0) return hours[time / HOUR_MS - Math.floor(this.first / HOUR_MS)]!;
    }
    return lowerBound(this.times(), time);
  }

  column(key: ColumnKey): Column | null {
    const field = this.#shard.fieldNumber(key, this.id);
    if (field === null) return null;
    return this.#cached(`c${field}`, () => (field < FIRST_FIELD ? this.#idColumn(field) : this.#fieldColumn(field)));
  }

  columnKeys(): readonly ColumnKey[] {
    if (!this.#keys) {
      const present = new Set(
        this.#shard.read((connection) =>
          connection.prepare<[number], number>('SELECT field FROM columns WHERE segment = ?').pluck().all(this.id),
        ),
      );
      this.#keys = [...this.#shard.fieldKeys(this.id)].filter(([, field]) => present.has(field)).map(([key]) => key);
    }
    return this.#keys;
  }

  rowsOfType(code: number): Uint32Array {
    const rows = rowsOfType(this.types, code);
    if (rows === 0) return NO_ROWS;
    return this.#cached(`type${code}`, () => {
      if (rows === this.rows) return plain(allRows(rows));
      return plain(this.#storedRows(code) ?? rowsOfCode(this.column('event_type')!.codes!, code, rows));
    });
  }

  persons(identity: Identity): Uint32Array {
    return this.#cached(`persons${identity.version}`, () => {
      const codes = {
        devices: this.#codes(COLUMN.deviceId, devicesRoom),
        users: this.#codes(COLUMN.userId, usersRoom),
      };
      const value = makeColumn(WORDS, { room: this.rows, length: this.rows }, (out) => {
        if (codes.devices === null && codes.users === null) primitives.fillWords(out, this.rows, 0);
        else writePersons(codes, identity, out);
      });
      this.#expectBelow(identity.size, value, COLUMN.userId);
      return plain(value);
    });
  }

  timesAt(rows: Uint32Array): Float64Array<ArrayBuffer> {
    if (this.#wantsAll(rows, `c${COLUMN.time}`)) return floatsOfRows(this.times(), rows);
    const times = briefColumns.times(this.#name, () => this.#bytes(COLUMN.time));
    return floatsOfRows(times, rows);
  }

  personsAt(rows: Uint32Array, identity: Identity): Uint32Array<ArrayBuffer> {
    if (this.#wantsAll(rows, `persons${identity.version}`)) return wordsOfRows(this.persons(identity), rows);
    const codes = (field: number): Uint32Array | null =>
      briefColumns.codes(this.#name, field, () => this.#shard.columnBytes(this.id, field), this.#triples);
    return personsOfRows({ devices: codes(COLUMN.deviceId), users: codes(COLUMN.userId) }, identity, rows);
  }

  derived<T>(name: string, make: () => CachedValue<T>): T {
    return this.#cached(`derived ${name}`, make);
  }

  insertIds(): InsertIdRows & InsertIdColumn {
    return this.#cached('insert', () => {
      const ids = decodeInsertIds(this.#bytes(COLUMN.insertId));
      numberMadeIds(ids, () => this.arrivals());
      const value = { ...ids, text: (row: number): string => insertIdText(ids, row) };
      return { value, bytes: bytesOfIds(ids) };
    });
  }

  /** For compaction: decoded bytes of the segment's own texts. */
  textBytes(): number {
    let bytes = 0;
    this.#shard.eachTextColumn(this.id, (data) => {
      const texts = splitSections(data)[2];
      if (texts?.length) bytes += bytesOfTexts(texts);
    });
    return bytes;
  }

  /** For compaction: whether a field's codes are not of the project's dictionary. */
  hasOwnDictionary(key: ColumnKey): boolean {
    return this.column(key)?.dictionary?.key.startsWith(`${this.#name}/`) ?? false;
  }

  #cached<T>(key: string, make: () => CachedValue<T>): T {
    return this.#shard.cached(`${this.id}/${key}`, make);
  }

  /** null if the segment was sealed before rows of event types were stored. */
  #storedRows(code: number): Uint32Array | null {
    const group = typeGroups(this.types).findLast(({ types }) => types.codes[0]! <= code)!;
    const column = this.#shard.columnBytes(this.id, group.field);
    return column && decodeTypeRows(column, group, code);
  }

  get #name(): string {
    return `${this.#shard.name}${this.id}`;
  }

  /** Whether to read some rows from the whole column, because it is cached or they are many. */
  #wantsAll(rows: Uint32Array, key: string): boolean {
    return rows.length * FEW.value > this.rows || this.#shard.isCached(`${this.id}/${key}`);
  }

  #bytes(field: number): Buffer {
    const bytes = this.#shard.columnBytes(this.id, field);
    if (!bytes) throw new Error(`segment ${this.id} lacks column ${field}`);
    return bytes;
  }

  /** Primitives use codes as indexes without checking bounds, so damaged codes must not get that far. */
  #expectBelow(end: number, codes: NarrowCodes, field: number): void {
    if (codes.length > 0 && largestOf(codes) >= end) {
      throw new Error(`segment ${this.id} has codes in column ${field} that its dictionary lacks`);
    }
  }

  /** The codes of an id column, valid until the room is reused: columns that only serve to compute others are not kept. */
  #codes(field: number, room: Scratch): Uint32Array | null {
    const bytes = this.#shard.columnBytes(this.id, field);
    return bytes && decodeCodesInto(bytes, this.#triples, room);
  }

  #sequence(field: number): Float64Array {
    return this.#cached(`c${field}`, () => {
      return plain(decodeSequence(this.#bytes(field)));
    });
  }

  #hours(): Uint32Array {
    return this.#cached('hours', () => {
      const bytes = this.#shard.columnBytes(this.id, COLUMN.hours);
      return plain(bytes ? decodeIntegers(bytes) : NO_ROWS);
    });
  }

  #idColumn(field: number): CachedValue<Column | null> {
    const bytes = this.#shard.columnBytes(this.id, field);
    if (!bytes) return { value: null, bytes: 64 };
    const codes = decodeNarrow(bytes, this.#triples);
    const own = field === COLUMN.eventType || field === COLUMN.sessionId ? field : COLUMN.userId;
    if (field !== COLUMN.deviceId && own !== field) throw new Error(`column ${field} has no codes`);
    const dictionary = this.#shard.dictionary(own);
    this.#expectBelow(dictionary.size + 1, codes, field);
    return {
      value: { codes, dictionary, numbers: null },
      bytes: codes.byteLength,
      columns: [codes],
    };
  }

  #fieldColumn(field: number): CachedValue<Column | null> {
    const bytes = this.#shard.columnBytes(this.id, field);
    if (!bytes) return { value: null, bytes: 64 };
    const decoded = decodeField(bytes, this.rows, this.#triples);
    const { codes, local, numbers } = decoded;
    let dictionary: Dictionary | null = null;
    if (codes && local) dictionary = new TextListDictionary(`${this.#name}/${field}`, local);
    else if (codes) dictionary = this.#shard.dictionary(field);
    if (codes && dictionary) this.#expectBelow(dictionary.size + 1, codes, field);
    return {
      value: { codes, dictionary, numbers },
      bytes: bytesOfField(decoded),
      columns: arraysOfField(decoded),
    };
  }
}

/** A column that consists of one array. */
function plain<A extends MemoryArray>(value: A): CachedValue<A> {
  return { value, bytes: value.byteLength, columns: [value] };
}

function allRows(count: number): Uint32Array {
  const rows = new Uint32Array(count);
  for (let row = 0; row < count; row++) rows[row] = row;
  return rows;
}

/**
 * The `count` rows that have a code, ascending. Branch-free, since which rows have it is practically random. Plain form: `if
 * (codes[row] === code) rows[n++] = row`.
 */
function rowsOfCode(codes: NarrowCodes, code: number, count: number): Uint32Array {
  const rows = new Uint32Array(count + 1); // the loop also writes one past the last row found
  let n = 0;
  for (let row = 0; row < codes.length; row++) {
    rows[n] = row;
    n += ((codes[row]! ^ code) - 1) >>> 31;
  }
  return rows.subarray(0, count);
}
