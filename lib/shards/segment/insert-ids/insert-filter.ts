/** A segment's filter over its recent insert ids, and the arrival of its rows: with the ids themselves, they identify repeats. */
import type { RawSegment } from '../raw.ts';
import { Lease } from '../../../primitives/memory.ts';
import { decodeSequence, encodeNearlyConsecutive } from '../encoding/sequences.ts';
import { joinSections, splitSections } from '../encoding/sections.ts';
import { type CellBytes, type FilterKeys, type FuseFilter, isFilter, makeFilter } from '../../hashing/fuse-filter.ts';
import { type Secret, textHash } from '../../hashing/text-hash.ts';
import { threshold } from '../../../base/threshold.ts';
import { areHex, HEX16, type IdPlace, type InsertIdRows, MADE, placeOfId, TEXT } from './insert-ids.ts';

/** The ids of a segment that may still have repeats. */
export interface IdScope {
  /** The shard's key for hashes. */
  readonly secret: Secret;
  /** Ids that arrived after this. */
  readonly since: number;
}

/** Arrival of the first and the last id in a filter, of those that expire; 0 if all are of imports. */
export interface IdSpan {
  readonly first: number;
  readonly last: number;
  /** Whether ids of imports are in it. */
  readonly imports: boolean;
}

/**
 * If the ids are much text, a false positive costs inflating all of it: then fingerprints have 32 bits, which is little next to
 * the text. Bytes of a segment's ids.
 */
const MUCH_TEXT = threshold('bytes of texts of insert ids with short fingerprints', 1 << 20);

export interface EncodedFilter {
  readonly span: IdSpan;
  readonly filter: Uint8Array;
  readonly received: Uint8Array;
}

/** null if no row has an id that may be repeated. */
export function encodeFilter(
  { insertIds, received: arrivals }: Pick<RawSegment, 'insertIds' | 'received'>,
  order: Uint32Array,
  { secret, since }: IdScope,
): EncodedFilter | null {
  const sent = encodeReceived({ insertIds, arrivals }, order, since);
  if (sent === null) return null;
  using lease = new Lease();
  const { keys, text } = keysOfIds(insertIds, lease.hold(sent.known), { secret, lease });
  const bytes: CellBytes = text > MUCH_TEXT.value ? 4 : 2;
  return { span: sent.span, filter: encodeCells(makeFilter(keys, bytes, secret[0])), received: sent.received };
}

/**
 * The arrivals of rows, and the rows whose ids may be repeated: a client has made them, and they arrived late enough, or are of an
 * import. null: none.
 */
function encodeReceived(
  { insertIds: { kinds, imported }, arrivals }: { readonly insertIds: InsertIdRows; readonly arrivals: Float64Array },
  order: Uint32Array,
  since: number,
): { readonly known: Uint32Array; readonly span: IdSpan; readonly received: Uint8Array } | null {
  const received = new Float64Array(order.length);
  const known = new Uint32Array(order.length);
  let count = 0;
  let first = Infinity;
  let last = 0;
  let imports = false;
  for (let i = 0; i < order.length; i++) {
    const row = order[i]!;
    const time = (received[i] = arrivals[row]!);
    if (kinds[row] === MADE || (time <= since && imported[row] === 0)) continue;
    known[count++] = row;
    if (imported[row] === 1) imports = true;
    if (time <= since) continue;
    if (time < first) first = time;
    if (time > last) last = time;
  }
  if (count === 0) return null;
  // Replaces all earlier times, which nobody needs, so that differences are small. The row number is added: most rows arrive together
  // with the previous one, and then the encoded difference is 0.
  const isNone = first === Infinity; // all are of imports, and came long ago
  if (isNone) first = 0;
  for (let i = 0; i < received.length; i++) received[i] = (isNone ? -1 : Math.max(received[i]!, first - 1)) + i;
  return {
    known: known.subarray(0, count),
    span: { first, last, imports },
    received: encodeNearlyConsecutive(received),
  };
}

/** One filter over the insert ids of several segments. It stays right for those of them that are left, and for what they keep. */
export interface GroupFilter {
  readonly segments: readonly number[];
  readonly filter: FuseFilter;
}

/** @param columns The ids of each segment. */
export function makeGroupFilter(columns: readonly InsertIdRows[], secret: Secret): FuseFilter {
  const own = columns.map((ids) => ids.kinds.reduce((sum, kind) => sum + (kind === MADE ? 0 : 1), 0));
  const count = own.reduce((sum, one) => sum + one, 0);
  const all = { count, high: new Uint32Array(count), low: new Uint32Array(count) };
  let at = 0;
  for (const [nth, ids] of columns.entries()) {
    using lease = new Lease();
    const rows = new Uint32Array(own[nth]!);
    for (let row = 0, n = 0; row < ids.kinds.length; row++) if (ids.kinds[row] !== MADE) rows[n++] = row;
    const { keys } = keysOfIds(ids, lease.hold(rows), { secret, lease });
    all.high.set(keys.high, at);
    all.low.set(keys.low, at);
    at += rows.length;
  }
  return makeFilter(all, 2, secret[0]);
}

/** The arrival of each row; -Infinity for those before the first id in the filter. */
export const decodeReceived = (bytes: Uint8Array, { first }: Pick<IdSpan, 'first'>): Float64Array =>
  decodeSequence(bytes).map((time, row) => (time - row >= first ? time - row : -Infinity));

/** Whether the ids of a filter are much text, which takes long to inflate. */
export const isOfMuchText = ({ cells }: FuseFilter): boolean => cells.BYTES_PER_ELEMENT === 4;

/** Throws if the bytes are not a filter. */
export function decodeFilter(bytes: Uint8Array): FuseFilter {
  const [head, data] = splitSections(bytes);
  const { seed, stretch, width } = readHead(head);
  if (!data || data.length % width !== 0) throw new Error('a filter of insert ids is damaged');
  const length = data.length / width;
  const cells =
    width === 2
      ? new Uint16Array(data.buffer, data.byteOffset, length)
      : new Uint32Array(data.buffer, data.byteOffset, length);
  const filter = { seed, stretch, cells };
  if (!isFilter(filter)) throw new Error('a filter of insert ids is damaged');
  return filter;
}

function readHead(head: Uint8Array | undefined): { seed: number; stretch: number; width: number } {
  const [seed, stretch, width] = head?.length === 12 ? new Uint32Array(head.buffer, head.byteOffset, 3) : [];
  if (seed === undefined || stretch === undefined || (width !== 2 && width !== 4))
    throw new Error('a filter of insert ids is damaged');
  return { seed, stretch, width };
}

function encodeCells({ seed, stretch, cells }: FuseFilter): Uint8Array {
  const head = Uint32Array.of(seed, stretch, cells.BYTES_PER_ELEMENT);
  return joinSections([new Uint8Array(head.buffer), new Uint8Array(cells.buffer, cells.byteOffset, cells.byteLength)]);
}

const place: IdPlace = { bytes: new Uint8Array(0), start: 0, end: 0 };

/** The keys of some rows, as `seekId` makes them, and the bytes of ids that are texts. */
function keysOfIds(
  ids: InsertIdRows,
  rows: Uint32Array,
  { secret, lease }: { readonly secret: Secret; readonly lease: Lease },
): { readonly keys: FilterKeys; readonly text: number } {
  const [high, low] = [lease.gather(ids.high, rows), lease.gather(ids.low, rows)];
  const keys = { count: rows.length, high, low };
  if (areHex(ids)) return { keys, text: 0 };
  const hash = { a: 0, b: 0, c: 0 };
  let text = 0;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    if (ids.kinds[row] === HEX16) continue;
    placeOfId(ids, row, place);
    if (ids.kinds[row] === TEXT) text += place.end - place.start;
    textHash(place.bytes, place, secret, hash);
    high[i] = hash.a;
    low[i] = hash.b;
  }
  return { keys, text };
}
