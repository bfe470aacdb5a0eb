/** Rows → the bytes of a segment's columns, for seals and compactions. */
import { HOUR_MS } from '../../base/day.ts';
import { Lease, primitives } from '../../primitives/memory.ts';
import { encodeIntegers } from './encoding/integers.ts';
import { encodeNumbers } from './encoding/numbers.ts';
import { EMPTY, joinSections } from './encoding/sections.ts';
import { encodeNearlyConsecutive, encodeRising } from './encoding/sequences.ts';
import { encodeTexts, type TextList } from './encoding/texts.ts';
import { COLUMN } from './columns.ts';
import { type EncodedFilter, encodeFilter, type IdScope, type IdSpan } from './insert-ids/insert-filter.ts';
import { encodeInsertIds } from './insert-ids/insert-ids.ts';
import { chooseForms, encodeByTriple, type Forms, type Triples, triplesOf } from './triples.ts';
import { countTypes, encodeTypeCounts, encodeTypeRows, type TypeCounts } from './type-rows.ts';
import type { RawField, RawSegment } from './raw.ts';
import { threshold } from '../../base/threshold.ts';

export interface EncodedColumn {
  readonly field: number;
  readonly data: Uint8Array;
}

export interface EncodedSegment {
  readonly rows: number;
  readonly first: number;
  readonly last: number;
  /** Rows of each event type in stored form: bytes can be transferred to another thread, copying objects takes long. */
  readonly types: Uint8Array;
  readonly columns: readonly EncodedColumn[];
  /** Arrivals of the insert ids in its filter; null if it has none. */
  readonly ids: IdSpan | null;
}

/** A field in less than one of so many rows is stored as rows and codes, not as a code for every row. */
const SPARSE = threshold('rows a value of a sparse column', 10);

/** Encodes the rows in an order that must be by (time, arrival). @param scope The ids that go into its filter. */
export function encodeSegment(raw: RawSegment, inOrder: Uint32Array, scope: IdScope): EncodedSegment {
  using lease = new Lease();
  const order = lease.hold(inOrder);
  const insertIds = encodeIds(raw, order, scope);
  const columns: EncodedColumn[] = [
    { field: COLUMN.arrival, data: encodeArrivals(raw.arrivals, order) },
    { field: COLUMN.insertId, data: insertIds.data },
  ];
  const ids = insertIds.filter;
  if (ids)
    columns.push({ field: COLUMN.insertFilter, data: ids.filter }, { field: COLUMN.received, data: ids.received });
  const span = addTimes(columns, raw.times, order);
  const types = addTypes(columns, raw.types, order);
  addFollowing(columns, raw, order);
  return { rows: order.length, ...span, types: encodeTypeCounts(types), columns, ids: ids?.span ?? null };
}

/** Adds the times and where each hour begins. */
function addTimes(
  columns: EncodedColumn[],
  values: Float64Array,
  order: Uint32Array,
): { readonly first: number; readonly last: number } {
  using lease = new Lease();
  const times = lease.gather(values, order);
  columns.push({ field: COLUMN.time, data: encodeRising(times) });
  const hours = hourOffsets(times);
  if (hours) columns.push({ field: COLUMN.hours, data: encodeIntegers(hours) });
  return { first: times[0]!, last: times.at(-1)! };
}

/** Adds the event types, and the rows of each. */
function addTypes(columns: EncodedColumn[], values: Uint32Array, order: Uint32Array): TypeCounts {
  using lease = new Lease();
  const codes = lease.gather(values, order);
  const types = countTypes(codes);
  columns.push({ field: COLUMN.eventType, data: encodeIntegers(codes) }, ...encodeTypeRows(codes, types));
  return types;
}

function encodeArrivals(arrivals: Float64Array, order: Uint32Array): Uint8Array {
  using lease = new Lease();
  return encodeNearlyConsecutive(lease.gather(arrivals, order));
}

/** The ids, and their filter if any may be repeated. */
function encodeIds(
  raw: RawSegment,
  order: Uint32Array,
  scope: IdScope,
): { readonly data: Uint8Array; readonly filter: EncodedFilter | null } {
  const { insertIds } = raw;
  const filter = encodeFilter({ insertIds, received: raw.received }, order, scope);
  const data = encodeInsertIds(insertIds, order);
  return { data, filter };
}

/** Adds ids of users, devices and sessions, and fields: many follow from the row's triple. */
function addFollowing(columns: EncodedColumn[], raw: RawSegment, order: Uint32Array): void {
  using lease = new Lease();
  const owners = {
    users: lease.gather(raw.users, order),
    devices: lease.gather(raw.devices, order),
    sessions: lease.gather(raw.sessions, order),
  };
  const triples = triplesOf(owners, lease);
  const fields: number[] = [];
  const forms: Forms[] = [];
  const ids = [
    [COLUMN.userId, owners.users],
    [COLUMN.deviceId, owners.devices],
    [COLUMN.sessionId, owners.sessions],
  ] as const;
  for (const [field, codes] of ids) {
    if (!codes.some((code) => code !== 0)) continue;
    fields.push(field);
    forms.push({ plain: encodeIntegers(codes), byTriple: encodeByTriple(codes, triples) });
  }
  const ranks = lease.noWords(raw.rows);
  for (let i = 0; i < order.length; i++) ranks[order[i]!] = i + 1;
  for (const field of raw.fields) {
    const encoded = encodeField(field, { ranks, order }, triples);
    if (encoded === null) continue;
    fields.push(field.field);
    forms.push(encoded);
  }
  const chosen = chooseForms(forms, triples);
  if (chosen.triples) columns.push({ field: COLUMN.triples, data: chosen.triples });
  chosen.columns.forEach((data, i) => columns.push({ field: fields[i]!, data }));
}

/** The first row of each hour (UTC), from the hour of the first row on; null if that would be longer than it is worth. */
function hourOffsets(times: Float64Array): Uint32Array | null {
  const first = Math.floor(times[0]! / HOUR_MS);
  const count = Math.floor(times[times.length - 1]! / HOUR_MS) - first + 1;
  if (count > 64 + times.length / 8) return null;
  const offsets = new Uint32Array(count);
  for (let row = 0, hour = 0; hour < count; hour++) {
    const start = (first + hour) * HOUR_MS;
    while (times[row]! < start) row++;
    offsets[hour] = row;
  }
  return offsets;
}

/**
 * Sections: code rows (empty: a code for every row) · codes (for every row: integers, or by triple) · own dictionary (empty: the
 * project's) · number rows (empty: all) · numbers.
 */
function encodeField(field: RawField, places: Places, triples: Triples): Forms | null {
  using lease = new Lease();
  const rows = triples.ofRows.length;
  const codes = codesByRow(field, places, lease);
  const numbers = placeValues(field.numberRows, places, lease);
  if (codes.count + numbers.count === 0) return null;
  const dense = codes.byRow;
  const dictionary = field.local && codes.count > 0 ? encodeLocal(dense, field.local) : EMPTY;
  const sparse = codes.count * SPARSE.value < rows;
  const whole = (packed: Uint8Array): Uint8Array =>
    joinSections([
      codes.count && sparse ? encodeRows(present(dense, codes.count)) : EMPTY,
      packed,
      dictionary,
      numbers.count && numbers.count < rows ? encodeRows(present(numbers.at, numbers.count)) : EMPTY,
      numbers.count ? encodeNumbers(pick(field.numbers, numbers, lease)) : EMPTY,
    ]);
  if (codes.count === 0) return { plain: whole(EMPTY), byTriple: null };
  const byTriple = sparse ? null : encodeByTriple(dense, triples);
  return { plain: whole(encodeIntegers(sparse ? some(dense, lease) : dense)), byTriple: byTriple && whole(byTriple) };
}

/** The row of the segment + 1 of each raw row, 0 if it is not in it; and the raw row of each of its rows. */
interface Places {
  readonly ranks: Uint32Array;
  readonly order: Uint32Array;
}

/** Row of the segment → code, 0 for none; and how many have one. */
function codesByRow(field: RawField, places: Places, lease: Lease): { byRow: Uint32Array; count: number } {
  if (field.rows === null) return { byRow: lease.gather(field.codes, places.order), count: places.order.length };
  const { at, count } = placeValues(field.rows, places, lease);
  const codes = lease.words(field.codes.length + 1);
  codes[0] = 0;
  codes.set(field.codes, 1);
  return { byRow: lease.gather(codes, at), count };
}

/** Row of the segment → index into the field's values + 1; 0 for none. */
interface ValuePlaces {
  readonly at: Uint32Array;
  readonly count: number;
}

const NOWHERE: ValuePlaces = { at: new Uint32Array(0), count: 0 };

function placeValues(fieldRows: Uint32Array, { ranks, order }: Places, lease: Lease): ValuePlaces {
  if (fieldRows.length === 0) return NOWHERE;
  using own = new Lease();
  const at = lease.noWords(order.length);
  const from = own.hold(fieldRows).byteOffset;
  return { at, count: primitives.placeValues(from, fieldRows.length, ranks.byteOffset, at.byteOffset) };
}

/** The rows whose value is not 0. */
function present(at: Uint32Array, count: number): Uint32Array {
  const rows = new Uint32Array(count);
  for (let row = 0, n = 0; n < count; row++) if (at[row] !== 0) rows[n++] = row;
  return rows;
}

/** The values in the order of their rows. */
function pick(values: Float64Array, { at, count }: ValuePlaces, lease: Lease): Float64Array {
  const all = lease.floats(values.length + 1);
  all[0] = 0;
  all.set(values, 1);
  const byRow = lease.gather(all, at);
  if (count < at.length) primitives.pickSome(at.byteOffset, at.length, byRow.byteOffset, 8, byRow.byteOffset);
  return byRow.subarray(0, count);
}

/** The codes that are not 0. */
function some(codes: Uint32Array, lease: Lease): Uint32Array {
  const out = lease.words(codes.length);
  return out.subarray(0, primitives.pickSome(codes.byteOffset, codes.length, codes.byteOffset, 4, out.byteOffset));
}

/** Ascending rows as differences. */
function encodeRows(rows: Uint32Array): Uint8Array {
  for (let i = rows.length - 1; i > 0; i--) rows[i]! -= rows[i - 1]!;
  return encodeIntegers(rows);
}

/** Renumbers the used codes from 1 and returns their texts. */
function encodeLocal(codes: Uint32Array, local: TextList): Uint8Array {
  const renumbered = new Uint32Array(local.count + 1);
  const used: number[] = [];
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row]!;
    if (code === 0) continue;
    if (renumbered[code] === 0) renumbered[code] = used.push(code);
    codes[row] = renumbered[code]!;
  }
  const startOf = (code: number): number => (code === 1 ? 0 : local.ends[code - 2]!);
  const ends = new Uint32Array(used.length);
  let length = 0;
  used.forEach((code, i) => (ends[i] = length += local.ends[code - 1]! - startOf(code)));
  const bytes = new Uint8Array(length);
  used.forEach((code, i) =>
    bytes.set(local.bytes.subarray(startOf(code), local.ends[code - 1]!), i === 0 ? 0 : ends[i - 1]!),
  );
  const types = Uint8Array.from(used, (code) => local.types[code - 1]!);
  return encodeTexts({ count: used.length, types, ends, bytes });
}

/**
 * The rows in order of (time, arrival). Most already are: those are kept as a run, the others sorted, and both merged, which is
 * linear except for late rows.
 */
export function timeOrder(raw: Pick<RawSegment, 'rows' | 'times' | 'arrivals'>): Uint32Array {
  using lease = new Lease();
  const { rows } = raw;
  const [times, arrivals] = [lease.hold(raw.times), lease.hold(raw.arrivals)];
  const [run, late] = [lease.words(rows), lease.words(rows)];
  const inRun = primitives.inOrder(times.byteOffset, arrivals.byteOffset, rows, run.byteOffset, late.byteOffset);
  if (inRun === rows) return new Uint32Array(run);
  const sorted = late.subarray(0, rows - inRun).sort((a, b) => times[a]! - times[b]! || arrivals[a]! - arrivals[b]!);
  const before = (a: number, b: number): boolean =>
    times[a]! < times[b]! || (times[a] === times[b] && arrivals[a]! < arrivals[b]!);
  const order = new Uint32Array(rows);
  for (let i = 0, j = 0, k = 0; k < rows; k++) {
    if (j === sorted.length || (i < inRun && before(run[i]!, sorted[j]!))) order[k] = run[i++]!;
    else order[k] = sorted[j++]!;
  }
  return order;
}
