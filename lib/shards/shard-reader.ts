/**
 * What the query engine sees of a shard: immutable segments of columns as typed arrays. Bytes, encodings and SQLite stay
 * inside lib/shards; decoded columns are cached there, bounded in bytes.
 */
import type { TypeCounts } from './segment/type-rows.ts';

/** The type of a value in a dictionary. Numbers are never in dictionaries: they are in `Column.numbers`. */
export type TextType = 'string' | 'boolean' | 'object' | 'array' | 'null';

/**
 * Code → typed value. Codes run from 1; 0 means "no value here". Append-only: under the same `key`, a code always means the same
 * value, while `size` may grow. The same text with another type has another code ("true" and true).
 * null is stored as a value (type `null`, text ''), because a key with value null hides others (`event_properties.a.b`); for
 * queries it is missing.
 */
export interface Dictionary {
  /** Identity for caches. A project's segments share a field's dictionary until it has too many values; then each has its own. */
  readonly key: string;
  readonly size: number;
  /** True if all values are strings, known without reading them. */
  readonly onlyStrings?: boolean;
  type(code: number): TextType;
  /** The value's text: a string itself, an object or array as compact JSON, a boolean as `true` or `false`. */
  text(code: number): string;
  /** The code of a string value, or 0. */
  find(text: string): number;
  /** Compares the texts of two codes by code point, without creating strings. */
  compare(a: number, b: number): number;
}

/**
 * The values of one field in one segment. A row has a code, or a number, or neither.
 * `codes` is dense (one per row, 0 = none). `numbers.rows` are the rows that have a number, ascending; null: every row has one.
 */
export interface Column {
  readonly codes: Uint8Array | Uint16Array | Uint32Array | null;
  readonly dictionary: Dictionary | null; // of codes
  readonly numbers: { readonly rows: Uint32Array | null; readonly values: Float64Array } | null;
}

/**
 * The name of a stored column: `event_type`, `user_id`, `device_id`, `session_id`, an enriched field such as `_browser`, an event
 * property as `p:<key>`, a sent user property as `u:<key>`; `p:` + U+0000 and `u:` + U+0000 hold the overflow of a project with
 * too many columns: an object of the keys without a column.
 * `_url`, `_title` and `_referrer` are not stored: they are the strings of p:url, p:title, p:referrer.
 */
export type ColumnKey = string;
export const OVERFLOW = '\u0000';

/** Rows of events in order of (time, arrival). Immutable. Segments of one project may overlap in time. */
export interface Segment extends SegmentSummary {
  /** Number of rows by event type code (of the project's event_type dictionary), ascending by code. */
  readonly types: TypeCounts;
  /** Milliseconds since the epoch, ascending. */
  times(): Float64Array;
  /** First row whose time is at or after `time`; `rows` if none. Cheap for whole UTC hours: reads no column. */
  rowAt(time: number): number;
  /** Arrival numbers, unique per event in the project; they order events of one millisecond and of different segments. */
  arrivals(): Float64Array;
  /** null if no row has the field. */
  column(key: ColumnKey): Column | null;
  columnKeys(): readonly ColumnKey[];
  /** Rows of one event type, ascending; computed once, cached. */
  rowsOfType(code: number): Uint32Array;
  /** The person of each row under these bindings: a code of the `ids` dictionary, 0 = nobody. Computed once, cached. */
  persons(identity: Identity): Uint32Array;
  /** `times()` and `persons()` of some rows, ascending; if they are few, the others are not computed. */
  timesAt(rows: Uint32Array): Float64Array<ArrayBuffer>;
  personsAt(rows: Uint32Array, identity: Identity): Uint32Array<ArrayBuffer>;
  insertIds(): InsertIdColumn;
  /** Something computed from the segment's columns, cached with them under a name. Callers must not change it. */
  derived<T>(name: string, make: () => { value: T; bytes: number }): T;
}

/** The insert ids of a segment. Two rows may share one if the second arrived more than 7 days after the first. */
export interface InsertIdColumn {
  /** By row: `INSERT_MADE` and `INSERT_HEX` are numbers, `INSERT_UUID` and `INSERT_TEXT` are texts. */
  readonly kinds: Uint8Array;
  /** The lower and the upper 32 bits of the number. */
  readonly low: Uint32Array;
  readonly high: Uint32Array;
  text(row: number): string;
}

/** `evt_` and the number as 16 hexadecimal digits. */
export const INSERT_MADE = 0;
/** The number as 16 lower-case hexadecimal digits. */
export const INSERT_HEX = 1;
export const INSERT_TEXT = 2;
/** A UUID in lower-case letters. */
export const INSERT_UUID = 3;

/** The bindings at one moment. Persons are codes of the `ids` dictionary, which has the texts of both user and device ids. */
export interface Identity {
  readonly version: number;
  /** All codes are below this. */
  readonly size: number;
  /** By device code, its person: the user it is bound to, else the device itself. (A user id is its own person.) */
  readonly personOfDevice: Uint32Array;
}

/** A profile: a person (code of `ids`), its properties, and the known times. */
export interface Profile {
  readonly person: number;
  readonly firstSeen: number;
  readonly lastSeen: number;
  readonly properties: { readonly [key: string]: unknown };
}

/** The names in a project: events with their rows (0 if unsealed), most frequent first, and property fields. */
export interface ShardCatalog {
  events: { name: string; rows: number }[];
  fields: string[];
}

/** The read side of one shard in one thread. Reads everything at the versions of the snapshot. */
export interface ShardReader {
  segment(id: number): Segment;
  /** The dictionary of user and device ids. */
  ids(): Dictionary;
  eventTypes(): Dictionary;
  /** The names in the project, for notes; null if there are so many that it would take long. */
  names(): ShardCatalog | null;
  /** The dictionary with this key if all segments share it; else null. */
  sharedDictionary(key: string): Dictionary | null;
  identity(version: number): Identity;
  /** The date of each device's binding, by device code: milliseconds since the epoch. */
  boundAt(version: number): Float64Array;
  /**
   * All profiles: everybody who was identified or sent an event with a user_id, with first and last seen over everything stored.
   * Throws `StaleSnapshot` if the shard has moved on from the version.
   */
  profiles(snapshot: Snapshot): readonly Profile[];
}

/** What a query may read, pinned while it runs. Small: it is sent to threads with every part. */
export interface Snapshot {
  readonly project: string;
  /** Path of the shard's file. */
  readonly file: string;
  /** Changes when a project's file is replaced; caches of another incarnation are dropped. */
  readonly incarnation: number;
  readonly segments: readonly SegmentSummary[];
  readonly identityVersion: number;
  readonly profileVersion: number;
}

/** A shard of which all is in its file: the thread that reads that makes the snapshot. */
export interface ShardAtRest {
  readonly project: string;
  /** Path of the shard's file, which may be gone by the time it is read. */
  readonly file: string;
}

/** What a thread can read. */
export type Readable = Snapshot | ShardAtRest;

export const isSnapshot = (source: Readable): source is Snapshot => 'segments' in source;

export interface SegmentSummary {
  readonly id: number;
  readonly rows: number;
  /** Time of the first and of the last row, both included. */
  readonly first: number;
  readonly last: number;
}

/** Thrown when data of a snapshot is no longer available; the query starts over on a newer one. */
export class StaleSnapshot extends Error {
  constructor() {
    super('the snapshot is older than the shard');
    this.name = 'StaleSnapshot';
  }
}

/** A number of events, and the times of the first and the last, in milliseconds since the epoch. */
type Extent = Omit<SegmentSummary, 'id'>;

/** All of them together; null if there are none. */
export function extentOf(spans: readonly Extent[]): Extent | null {
  if (spans.length === 0) return null;
  return {
    rows: spans.reduce((sum, { rows }) => sum + rows, 0),
    first: spans.reduce((least, { first }) => Math.min(least, first), Infinity),
    last: spans.reduce((most, { last }) => Math.max(most, last), -Infinity),
  };
}
