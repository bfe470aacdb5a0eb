/** Compacts segments: merges their rows in order of time into full segments. Reads through the reader, writes nothing. */
import type { Dictionary, Segment } from '../shard-reader.ts';
import { TYPE_CODES } from '../segment/encoding/texts.ts';
import { GrowableFloat64, GrowableUint32 } from '../../base/growable.ts';
import { hashBytes } from '../hashing/hash.ts';
import { FIRST_FIELD } from '../segment/columns.ts';
import { encodeSegment, type EncodedSegment } from '../segment/encode.ts';
import type { IdScope } from '../segment/insert-ids/insert-filter.ts';
import { TEXT, UUID, type InsertIds } from '../segment/insert-ids/insert-ids.ts';
import type { RawField, RawSegment } from '../segment/raw.ts';
import { RowCodes } from '../segment/row-codes.ts';
import { timeOrder } from '../segment/sort.ts';
import type { StoredSegment } from '../segment/stored-segment.ts';
import { TextTable } from '../dictionary/text-table.ts';
import { UUID_BYTES } from '../hashing/uuid.ts';

/** Approximate limit of a segment's own text, which readers decode at once. Bytes. */
export const SEGMENT_TEXT = 32 << 20;

/**
 * `fields`: numbers of the project's columns by key; `bytes`: the segments' own text; `ids`: repeatable ones. Segments in any
 * order.
 */
export function compactSegments(
  segments: readonly StoredSegment[],
  fields: ReadonlyMap<string, number>,
  { segmentRows, bytes, ids }: { readonly segmentRows: number; readonly bytes: number; readonly ids: IdScope },
): EncodedSegment[] {
  const order = timeOrder(timesOf(segments));
  const rows = order.length;
  const made: EncodedSegment[] = [];
  const parts = Math.max(1, Math.round(rows / segmentRows), Math.ceil(bytes / SEGMENT_TEXT));
  for (let part = 0; part < parts; part++) {
    const from = Math.floor((rows * part) / parts);
    const until = Math.floor((rows * (part + 1)) / parts);
    if (until > from) made.push(encodePart(segments, fields, { order: order.subarray(from, until), ids }));
  }
  return made;
}

/** Makes a segment of some rows. Reads only segments with such rows, usually two, so compactions need not fit into memory. */
function encodePart(
  segments: readonly StoredSegment[],
  fields: ReadonlyMap<string, number>,
  { order, ids }: { readonly order: Uint32Array; readonly ids: IdScope },
): EncodedSegment {
  const starts = new Uint32Array(segments.length + 1);
  segments.forEach(({ rows }, i) => (starts[i + 1] = starts[i]! + rows));
  const segmentOf = new Uint16Array(order.length);
  const isRead = new Uint8Array(segments.length);
  for (let i = 0, at = 0; i < order.length; i++) {
    while (order[i]! < starts[at]!) at--;
    while (order[i]! >= starts[at + 1]!) at++;
    segmentOf[i] = at;
    isRead[at] = 1;
  }
  const read = segments.filter((_, i) => isRead[i] === 1);
  const skipped = new Uint32Array(segments.length); // rows of unread segments before each segment
  for (let i = 1; i < segments.length; i++)
    skipped[i] = skipped[i - 1]! + (isRead[i - 1] === 1 ? 0 : segments[i - 1]!.rows);
  const own = order.map((row, i) => row - skipped[segmentOf[i]!]!);
  return encodeSegment(concatenate(read, fields), own, ids);
}

/** Times and arrivals of the segments' rows, concatenated. */
function timesOf(segments: readonly StoredSegment[]): Pick<RawSegment, 'rows' | 'times' | 'arrivals'> {
  const rows = segments.reduce((sum, segment) => sum + segment.rows, 0);
  const times = new Float64Array(rows);
  const arrivals = new Float64Array(rows);
  let at = 0;
  for (const segment of segments) {
    times.set(segment.times(), at);
    arrivals.set(segment.arrivals(), at);
    at += segment.rows;
  }
  return { rows, times, arrivals };
}

/** The segments' rows, concatenated. */
export function concatenate(segments: readonly StoredSegment[], fields: ReadonlyMap<string, number>): RawSegment {
  const { rows, times, arrivals } = timesOf(segments);
  const ids = (key: string): Uint32Array => concatenateCodes(segments, key, rows);
  const received = new Float64Array(rows).fill(-Infinity);
  let at = 0;
  for (const segment of segments) {
    received.set(segment.received() ?? [], at);
    at += segment.rows;
  }
  return {
    rows,
    times,
    arrivals,
    received,
    types: ids('event_type'),
    users: ids('user_id'),
    devices: ids('device_id'),
    sessions: ids('session_id'),
    insertIds: concatenateInsertIds(segments, rows),
    fields: [...fields].flatMap(([key, field]) =>
      field < FIRST_FIELD ? [] : (compactField(key, field, segments) ?? []),
    ),
  };
}

function concatenateCodes(segments: readonly Segment[], key: string, rows: number): Uint32Array {
  const codes = new Uint32Array(rows);
  let at = 0;
  for (const segment of segments) {
    const column = segment.column(key);
    if (column?.codes) codes.set(column.codes, at);
    at += segment.rows;
  }
  return codes;
}

function concatenateInsertIds(segments: readonly StoredSegment[], rows: number): InsertIds {
  const kinds = new Uint8Array(rows);
  const low = new Uint32Array(rows);
  const high = new Uint32Array(rows);
  const ends: number[] = [];
  const bytes: Uint8Array[] = [];
  const uuids: Uint8Array[] = [];
  let uuidsBefore = 0;
  let length = 0;
  let at = 0;
  for (const segment of segments) {
    const ids = segment.insertIds();
    kinds.set(ids.kinds, at);
    low.set(ids.low, at);
    high.set(ids.high, at);
    if (ids.texts) {
      const before = ends.length;
      for (let row = 0; row < segment.rows; row++) if (ids.kinds[row] === TEXT) low[at + row]! += before;
      for (let i = 0; i < ids.texts.count; i++) ends.push(length + ids.texts.ends[i]!);
      bytes.push(ids.texts.bytes);
      length += ids.texts.bytes.length;
    }
    if (ids.uuids.length > 0) {
      for (let row = 0; row < segment.rows; row++) if (ids.kinds[row] === UUID) low[at + row]! += uuidsBefore;
      uuidsBefore += ids.uuids.length / UUID_BYTES;
      uuids.push(ids.uuids);
    }
    at += segment.rows;
  }
  const texts = {
    count: ends.length,
    types: new Uint8Array(ends.length),
    ends: Uint32Array.from(ends),
    bytes: Buffer.concat(bytes),
  };
  return { kinds, low, high, texts: ends.length ? texts : null, uuids: Buffer.concat(uuids) };
}

/** One field of all segments. Keeps the project's dictionary if all segments use it; else makes one of all their texts. */
function compactField(key: string, field: number, segments: readonly StoredSegment[]): RawField | null {
  const codes = new RowCodes();
  const numberRows = new GrowableUint32();
  const numbers = new GrowableFloat64();
  const columns = segments.map((segment) => segment.column(key));
  const own = segments.some((segment) => segment.hasOwnDictionary(key));
  const table = own ? new TextTable() : null;
  let at = 0;
  columns.forEach((column, i) => {
    const count = segments[i]!.rows;
    if (column?.codes) {
      const recode = table ? recoder(column.dictionary!, table) : null;
      for (let row = 0; row < count; row++) {
        const code = column.codes[row]!;
        if (code === 0) continue;
        codes.push(at + row, recode ? recode(code) : code);
      }
    }
    if (column?.numbers) {
      const { rows: where, values } = column.numbers;
      for (let n = 0; n < values.length; n++) {
        numberRows.push(at + (where ? where[n]! : n));
        numbers.push(values[n]!);
      }
    }
    at += count;
  });
  if (codes.length + numberRows.length === 0) return null;
  return {
    field,
    rows: codes.rowsOf(at),
    codes: codes.values,
    local: table && table.whole(),
    numberRows: numberRows.values.subarray(0, numberRows.length),
    numbers: numbers.values.subarray(0, numbers.length),
  };
}

/** Code in a segment's dictionary → code in the table shared by the compacted segments. */
function recoder(dictionary: Dictionary, table: TextTable): (code: number) => number {
  const known = new Uint32Array(dictionary.size + 1);
  return (code) => {
    if (known[code] === 0) {
      const bytes = Buffer.from(dictionary.text(code));
      known[code] = table.code(
        bytes,
        0,
        bytes.length,
        hashBytes(bytes, 0, bytes.length),
        TYPE_CODES[dictionary.type(code)],
      );
    }
    return known[code]!;
  };
}
