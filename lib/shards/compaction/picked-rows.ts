/** Some rows of some segments as those of one. */
import type { Dictionary } from '../shard-reader.ts';
import { lowerBound } from '../../base/lower-bound.ts';
import { TYPE_CODES } from '../segment/encoding/texts.ts';
import { GrowableFloat64, GrowableUint32, GrowableUint8 } from '../../base/growable.ts';
import { FIRST_FIELD } from '../segment/columns.ts';
import { placeOfId, TEXT, UUID, type IdPlace, type InsertIdRows } from '../segment/insert-ids/insert-ids.ts';
import type { RawField, RawSegment } from '../segment/raw.ts';
import { RowCodes } from '../segment/row-codes.ts';
import type { StoredSegment } from '../segment/stored-segment.ts';
import { textPlaceOf } from '../dictionary/shared-texts.ts';
import { TextTable } from '../dictionary/text-table.ts';
import { UUID_BYTES } from '../hashing/uuid.ts';

/** Rows of a segment, ascending. */
export interface Picked {
  readonly segment: StoredSegment;
  readonly rows: Uint32Array;
}

/** Where nothing keeps what is decoded. */
export const nothing = (): void => undefined;

/**
 * The rows, those of the first segment first. Each column is made when it is read. @param fields Numbers of the project's columns
 * by key. @param forget Drops what was decoded for a column.
 */
export function pickedRows(
  picked: readonly Picked[],
  fields: ReadonlyMap<string, number>,
  forget: () => void = nothing,
): RawSegment {
  const made = <T>(column: T): T => {
    forget();
    return column;
  };
  const codes = (key: string): Uint32Array => made(pickCodes(picked, key));
  const floats = (valuesOf: (segment: StoredSegment) => ArrayLike<number> | null): Float64Array =>
    made(pickFloats(picked, valuesOf));
  return {
    rows: rowsIn(picked),
    get times() {
      return floats((segment) => segment.times());
    },
    get arrivals() {
      return floats((segment) => segment.arrivals());
    },
    get received() {
      return floats((segment) => segment.received());
    },
    get types() {
      return codes('event_type');
    },
    get users() {
      return codes('user_id');
    },
    get devices() {
      return codes('device_id');
    },
    get sessions() {
      return codes('session_id');
    },
    get insertIds() {
      return made(pickInsertIds(picked));
    },
    get fields() {
      return pickFields(picked, fields, made);
    },
  };
}

const rowsIn = (picked: readonly Picked[]): number => picked.reduce((sum, { rows }) => sum + rows.length, 0);

/** -Infinity where a segment has no values. */
function pickFloats(
  picked: readonly Picked[],
  valuesOf: (segment: StoredSegment) => ArrayLike<number> | null,
): Float64Array {
  const all = new Float64Array(rowsIn(picked));
  let at = 0;
  for (const { segment, rows } of picked) {
    const values = valuesOf(segment);
    for (let i = 0; i < rows.length; i++) all[at++] = values === null ? -Infinity : values[rows[i]!]!;
  }
  return all;
}

function pickCodes(picked: readonly Picked[], key: string): Uint32Array {
  const all = new Uint32Array(rowsIn(picked));
  let at = 0;
  for (const { segment, rows } of picked) {
    const codes = segment.column(key)?.codes;
    if (codes) for (let i = 0; i < rows.length; i++) all[at + i] = codes[rows[i]!]!;
    at += rows.length;
  }
  return all;
}

function pickInsertIds(picked: readonly Picked[]): InsertIdRows {
  const count = rowsIn(picked);
  const kinds = new Uint8Array(count);
  const imported = new Uint8Array(count);
  const low = new Uint32Array(count);
  const high = new Uint32Array(count);
  const ends = new GrowableUint32();
  const bytes = new GrowableUint8();
  const uuids = new GrowableUint8();
  const place: IdPlace = { bytes: new Uint8Array(0), start: 0, end: 0 };
  let at = 0;
  for (const { segment, rows } of picked) {
    const ids = segment.insertIds();
    for (let i = 0; i < rows.length; i++, at++) {
      const row = rows[i]!;
      const kind = ids.kinds[row]!;
      kinds[at] = kind;
      imported[at] = ids.imported[row]!;
      low[at] = ids.low[row]!;
      high[at] = ids.high[row]!;
      if (kind !== TEXT && kind !== UUID) continue;
      placeOfId(ids, row, place);
      low[at] = kind === TEXT ? ends.length : uuids.length / UUID_BYTES;
      (kind === TEXT ? bytes : uuids).append(place.bytes, place.start, place.end);
      if (kind === TEXT) ends.push(bytes.length);
    }
  }
  const texts = {
    count: ends.length,
    types: new Uint8Array(ends.length),
    ends: ends.values.subarray(0, ends.length),
    bytes: bytes.values.subarray(0, bytes.length),
  };
  const own = { kinds, imported, low, high, uuids: uuids.values.subarray(0, uuids.length) };
  return { ...own, texts: ends.length > 0 ? texts : null };
}

function* pickFields(
  picked: readonly Picked[],
  fields: ReadonlyMap<string, number>,
  made: (field: RawField) => RawField,
): Generator<RawField, void> {
  for (const [key, field] of fields) {
    const picks = field < FIRST_FIELD ? null : pickField(key, field, picked);
    if (picks !== null) yield made(picks);
  }
}

/** One field of all segments. Keeps the project's dictionary if all segments use it; else makes one of the rows' texts. */
function pickField(key: string, field: number, picked: readonly Picked[]): RawField | null {
  const codes = new RowCodes();
  const numbers = { rows: new GrowableUint32(), values: new GrowableFloat64() };
  const table = picked.some(({ segment }) => segment.hasOwnDictionary(key)) ? new TextTable() : null;
  let at = 0;
  for (const { segment, rows } of picked) {
    const column = segment.column(key);
    if (column?.codes) {
      const recode = table ? recoder(column.dictionary!, table) : null;
      for (let i = 0; i < rows.length; i++) {
        const code = column.codes[rows[i]!]!;
        if (code !== 0) codes.push(at + i, recode ? recode(code) : code);
      }
    }
    if (column?.numbers) pickNumbers(column.numbers, { rows, at }, numbers);
    at += rows.length;
  }
  if (codes.length + numbers.rows.length === 0) return null;
  return {
    field,
    rows: codes.rowsOf(at),
    codes: codes.values,
    local: table && table.listAfter(0),
    numberRows: numbers.rows.values.subarray(0, numbers.rows.length),
    numbers: numbers.values.values.subarray(0, numbers.values.length),
  };
}

/** Adds the numbers of some rows. @param at The row that the first of these becomes. */
function pickNumbers(
  { rows: having, values }: { readonly rows: Uint32Array | null; readonly values: Float64Array },
  { rows, at }: { readonly rows: Uint32Array; readonly at: number },
  out: { readonly rows: GrowableUint32; readonly values: GrowableFloat64 },
): void {
  if (having === null) {
    for (let i = 0; i < rows.length; i++) {
      out.rows.push(at + i);
      out.values.push(values[rows[i]!]!);
    }
    return;
  }
  // By value rather than by row: of 2,000 fields most rows have few.
  for (let n = lowerBound(having, rows[0]!), i = 0; n < having.length; n++) {
    const row = having[n]!;
    i = lowerBound(rows, row, i, Math.min(rows.length, i + row - rows[i]!)); // rows ascend by at least one
    if (i === rows.length) return;
    if (rows[i] !== row) continue;
    out.rows.push(at + i);
    out.values.push(values[n]!);
  }
}

/** Code in a segment's dictionary → code in the table shared by the compacted segments. */
function recoder(dictionary: Dictionary, table: TextTable): (code: number) => number {
  const known = new Uint32Array(dictionary.size + 1);
  return (code) => {
    if (known[code] === 0) {
      const { bytes, start, end, hash } = textPlaceOf(dictionary.text(code));
      known[code] = table.code(bytes, start, end, hash, TYPE_CODES[dictionary.type(code)]);
    }
    return known[code]!;
  };
}
