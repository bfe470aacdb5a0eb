/**
 * Erasure of a user from a shard: events, profile, bindings with their history, insert ids, and every text that nobody else has.
 * Segments that hold rows of the user are rewritten without them; dictionaries keep the other codes and lose the texts.
 */
import { randomBytes } from 'node:crypto';
import { allBindings, replaceBindings, type Binding } from './bindings.ts';
import { ColumnCache } from './column-cache.ts';
import type { Snapshot } from './column.ts';
import type { Connections } from './connections.ts';
import { deleteRun, encodeRun, insertRun, readKeys } from './deduplication.ts';
import { decodeTexts, encodeTexts, TYPE_CODES } from './encoding/texts.ts';
import { insertKey, type InsertKey } from './insert-key.ts';
import { concatenate } from './merge.ts';
import { StoredShardReader } from './reader.ts';
import { CORE_COLUMNS, USER_ID } from './segment/columns.ts';
import { encodeSegment, type EncodedSegment } from './segment/encode.ts';
import { HEX16 } from './segment/insert-ids.ts';
import { purgeSegments, retireSegments, storeSegment } from './segment/store.ts';
import type { StoredSegment } from './segment/stored-segment.ts';
import type { Connection } from './shard-file.ts';
import { rowsOfUser, userIds } from './user-rows.ts';

export interface Erased {
  readonly events: number;
  readonly profiles: number;
  readonly devices: number;
}

/** Decoded columns while segments are rewritten. Bytes. */
const CACHE = 256 << 20;

/** A segment without the user's rows; null when no row is left. */
interface Rewritten {
  readonly old: number;
  readonly fresh: EncodedSegment | null;
}

/** Codes by the number of the dictionary they are of. */
type CodesByField = Map<number, Set<number>>;

/**
 * Erases in one transaction of `connection`. Everything of the shard must be sealed, and no query may read the segments any more.
 * Whoever has state of the shard in memory must read it anew: codes keep their meaning, but texts are gone.
 */
export function eraseUser(
  connection: Connection,
  connections: Connections,
  snapshot: Snapshot,
  userId: string,
): Erased {
  const reader = new StoredShardReader(snapshot, connections, new ColumnCache(CACHE));
  const ids = userIds(reader, snapshot, userId);
  if (ids.user === 0) return { events: 0, profiles: 0, devices: 0 };
  const fields = reader.fieldKeys(Infinity);
  const touched: CodesByField = new Map([[USER_ID, new Set([ids.user, ...ids.devices])]]);
  const keys = new Set<string>();
  const rewritten: Rewritten[] = [];
  let events = 0;
  const profiles = reader.profiles(snapshot).some((profile) => profile.person === ids.user) ? 1 : 0;
  for (const { id } of snapshot.segments) {
    const segment = reader.segment(id);
    const gone = rowsOfUser(segment, ids);
    if (gone.length === 0) continue;
    events += gone.length;
    collectCodes(segment, gone, { fields, codes: touched });
    collectKeys(connection, segment, gone, keys);
    rewritten.push({ old: id, fresh: without(segment, gone, fields) });
  }
  connection
    .transaction(() => {
      replaceSegments(connection, rewritten);
      connection.prepare('DELETE FROM profiles WHERE person = ?').run(ids.user);
      const bindings = [...allBindings(connection)].filter(
        ({ user, device }) => user !== ids.user && !ids.devices.has(device),
      );
      replaceBindings(connection, bindings);
      eraseKeys(connection, keys);
      eraseTexts(connection, connections, { snapshot, touched, bindings });
      renew(connection, bindings.length);
    })
    .immediate();
  return { events, profiles, devices: ids.devices.size };
}

function without(
  segment: StoredSegment,
  gone: Uint32Array,
  fields: ReadonlyMap<string, number>,
): EncodedSegment | null {
  if (gone.length === segment.rows) return null;
  const order = new Uint32Array(segment.rows - gone.length);
  for (let row = 0, g = 0, n = 0; row < segment.rows; row++) {
    if (gone[g] === row) g++;
    else order[n++] = row;
  }
  return encodeSegment(concatenate([segment], fields), order);
}

/** The number of the dictionary that a column's codes are of. */
const dictionaryOf = (key: string, field: number): number =>
  key === 'device_id' ? USER_ID : (CORE_COLUMNS[key] ?? field);

function collectCodes(
  segment: StoredSegment,
  rows: Uint32Array,
  { fields, codes }: { fields: ReadonlyMap<string, number>; codes: CodesByField },
): void {
  for (const [key, field] of fields) {
    const column = segment.column(key);
    if (!column?.codes || segment.hasOwnDictionary(key)) continue;
    const dictionary = dictionaryOf(key, field);
    let found = codes.get(dictionary);
    if (!found) codes.set(dictionary, (found = new Set()));
    for (const row of rows) if (column.codes[row] !== 0) found.add(column.codes[row]!);
  }
}

function collectKeys(connection: Connection, segment: StoredSegment, rows: Uint32Array, keys: Set<string>): void {
  const secret = (name: string): number =>
    connection.prepare<[string], number>('SELECT value FROM meta WHERE key = ?').pluck().get(name) ?? 0;
  const secrets = [secret('id_secret_1'), secret('id_secret_2')] as const;
  const key: InsertKey = { kind: HEX16, high: 0, low: 0 };
  for (const row of rows) {
    const id = Buffer.from(segment.insertId(row));
    insertKey(id, 0, id.length, secrets, key);
    keys.add(`${key.high}:${key.low}`);
  }
}

function replaceSegments(connection: Connection, rewritten: readonly Rewritten[]): void {
  const old = rewritten.map((segment) => segment.old);
  const tidy = connection.prepare<[number], number>('SELECT tidy FROM segments WHERE id = ?').pluck();
  for (const { old: id, fresh } of rewritten) if (fresh) storeSegment(connection, fresh, tidy.get(id) === 1);
  retireSegments(connection, old);
  purgeSegments(connection, old);
}

function eraseKeys(connection: Connection, keys: ReadonlySet<string>): void {
  for (const { id, tier } of connection
    .prepare<[], { id: number; tier: number }>('SELECT id, tier FROM insert_runs')
    .all()) {
    const all = readKeys(connection, [id], -Infinity);
    const kept: number[] = [];
    for (let i = 0; i < all.count; i++) if (!keys.has(`${all.high[i]!}:${all.low[i]!}`)) kept.push(i);
    if (kept.length === all.count) continue;
    deleteRun(connection, id);
    if (kept.length === 0) continue;
    const pick = (values: Uint32Array): Uint32Array => Uint32Array.from(kept, (i) => values[i]!);
    const arrived = Float64Array.from(kept, (i) => all.arrived[i]!);
    insertRun(connection, encodeRun({ count: kept.length, high: pick(all.high), low: pick(all.low), arrived }, tier));
  }
}

interface TextErasure {
  readonly snapshot: Snapshot;
  readonly touched: CodesByField;
  readonly bindings: readonly Binding[];
}

/** Blanks the texts of codes that nothing uses any more. Inside the transaction, after the segments were replaced. */
function eraseTexts(
  connection: Connection,
  connections: Connections,
  { snapshot, touched, bindings }: TextErasure,
): void {
  const live = connection.prepare<[], number>('SELECT id FROM segments WHERE live = 1').pluck().all();
  const reader = new StoredShardReader(snapshot, connections, new ColumnCache(CACHE));
  const fields = reader.fieldKeys(Infinity);
  for (const id of live) keepUsed(reader.segment(id), fields, touched);
  const ids = touched.get(USER_ID)!;
  for (const { user, device } of bindings) [user, device].forEach((code) => ids.delete(code));
  const profile = connection.prepare<[number], number>('SELECT 1 FROM profiles WHERE person = ?').pluck();
  for (const code of [...ids]) if (profile.get(code) !== undefined) ids.delete(code);
  for (const [field, codes] of touched) if (codes.size > 0) blank(connection, field, codes);
}

/** Takes the codes that a segment uses out of `touched`. */
function keepUsed(segment: StoredSegment, fields: ReadonlyMap<string, number>, touched: CodesByField): void {
  for (const [key, field] of fields) {
    const codes = touched.get(dictionaryOf(key, field));
    const column = segment.column(key);
    if (!codes || codes.size === 0 || !column?.codes || segment.hasOwnDictionary(key)) continue;
    for (let row = 0; row < segment.rows; row++) codes.delete(column.codes[row]!);
  }
}

/** Writes a dictionary anew with the texts of some codes emptied. */
function blank(connection: Connection, field: number, codes: ReadonlySet<number>): void {
  const chunks = connection
    .prepare<[number], { first: number; data: Buffer }>(
      'SELECT first, data FROM dictionaries WHERE field = ? ORDER BY first',
    )
    .all(field);
  const update = connection.prepare('UPDATE dictionaries SET data = ? WHERE field = ? AND first = ?');
  for (const { first, data } of chunks) {
    const list = decodeTexts(data);
    const types = list.types.slice();
    const ends = new Uint32Array(list.count);
    const pieces: Uint8Array[] = [];
    let changed = false;
    for (let i = 0, end = 0; i < list.count; i++) {
      const gone = codes.has(first + i);
      if (gone) types[i] = TYPE_CODES.null;
      else pieces.push(list.bytes.subarray(i === 0 ? 0 : list.ends[i - 1]!, list.ends[i]!));
      end += gone ? 0 : pieces[pieces.length - 1]!.length;
      ends[i] = end;
      changed ||= gone;
    }
    if (changed)
      update.run(encodeTexts({ count: list.count, types, ends, bytes: Buffer.concat(pieces) }), field, first);
  }
}

/** Another incarnation: whatever is kept of the old one in memory is not used again. */
function renew(connection: Connection, identityVersion: number): void {
  const meta = connection.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)');
  meta.run('incarnation', randomBytes(4).readUInt32LE(0));
  meta.run('identity_version', identityVersion);
}
