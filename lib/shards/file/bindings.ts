/**
 * The log of bindings, device → user, in order of arrival. An entry takes 16 bytes: u32 device, u32 user (codes of the ids
 * dictionary; user 0: bound to nobody), f64 time of arrival, negative for an undo. An undo names the user bound afterwards, so
 * the last entry of a device always says to whom it is bound. The number of entries is the version of the identity.
 */
import type { DeviceBindings } from '../writer-messages.ts';
import type { Connection } from './shard-file.ts';
import { bytesOf, sumOf, type StoredBytes } from './stored-bytes.ts';

export interface Binding {
  readonly device: number;
  readonly user: number;
  readonly at: number;
  readonly undo: boolean;
}

const ENTRY = 16;
const ENTRY_WORDS = ENTRY / 4;
/** Entries per row of table `bindings`: smaller rows are rewritten, full ones left alone. */
const CHUNK = 4096;

/** Appends the output of `encodeBindings` to the log, which has `length` entries. Must run inside the caller's transaction. */
export function storeBindings(connection: Connection, length: number, entries: Uint8Array): void {
  if (entries.length === 0) return;
  const last = connection
    .prepare<[], ChunkRow>('SELECT first, count, data, sum FROM bindings ORDER BY first DESC LIMIT 1')
    .get();
  const open = last && last.count < CHUNK ? last : null;
  const data = Buffer.concat([open ? bytesOf(open) : Buffer.alloc(0), entries]);
  connection
    .prepare(
      'INSERT INTO bindings (first, count, data, sum) VALUES (?, ?, ?, ?) ON CONFLICT (first) DO UPDATE SET count = excluded.count, data = excluded.data, sum = excluded.sum',
    )
    .run(open ? open.first : length, data.length / ENTRY, data, sumOf(data));
}

/**
 * The user of each device after the first `version` entries: device code → user code, 0 for nobody. Devices beyond the array's
 * end are bound to nobody: an identify may have brought devices that no segment, and no reader, knows yet.
 */
export function readBindings(connection: Connection, version: number): Uint32Array {
  const chunks = connection
    .prepare<[number], ChunkRow>('SELECT first, count, data, sum FROM bindings WHERE first < ? ORDER BY first')
    .all(version);
  const bound = new Uint32Array(topDevice(chunks) + 1);
  for (const { first, count, ...row } of chunks) {
    const words = wordsOf(bytesOf(row));
    const end = Math.min(count, version - first) * ENTRY_WORDS;
    for (let at = 0; at < end; at += ENTRY_WORDS) bound[words[at]!] = words[at + 1]!;
  }
  return bound;
}

function topDevice(chunks: readonly ChunkRow[]): number {
  let top = 0;
  for (const row of chunks) {
    const words = wordsOf(bytesOf(row));
    for (let at = 0; at < words.length; at += ENTRY_WORDS) if (words[at]! > top) top = words[at]!;
  }
  return top;
}

/** The entries as words, little-endian. */
function wordsOf(data: Buffer): Uint32Array {
  const { buffer, byteOffset, byteLength } = data.byteOffset % 4 === 0 ? data : new Uint8Array(data);
  return new Uint32Array(buffer, byteOffset, byteLength >>> 2);
}

/** All entries, oldest first. */
export function* allBindings(connection: Connection): Generator<Binding> {
  for (const row of connection
    .prepare<[], ChunkRow>('SELECT first, count, data, sum FROM bindings ORDER BY first')
    .all()) {
    const data = bytesOf(row);
    for (let at = 0; at < data.length; at += ENTRY) yield bindingAt(data, at);
  }
}

function bindingAt(data: Buffer, at: number): Binding {
  const time = data.readDoubleLE(at + 8);
  return { device: data.readUInt32LE(at), user: data.readUInt32LE(at + 4), at: Math.abs(time), undo: time < 0 };
}

/** The entries of one device, oldest first. Reads the whole log, but creates objects only for that device. */
export function bindingsOfDevice(connection: Connection, device: number): Binding[] {
  const found: Binding[] = [];
  const rows = connection.prepare<[], ChunkRow>('SELECT first, count, data, sum FROM bindings ORDER BY first');
  for (const row of rows.iterate()) {
    const data = bytesOf(row);
    const words = wordsOf(data);
    for (let at = 0; at < words.length; at += ENTRY_WORDS)
      if (words[at] === device) found.push(bindingAt(data, at * 4));
  }
  return found;
}

/**
 * The bindings of a device that count, from its entries in log order: the last one is in force, and an undo removes it. Binding
 * to the same user again is not a new binding.
 */
export function heldBindings<B extends { readonly user: unknown; readonly undo: boolean }>(entries: Iterable<B>): B[] {
  const held: B[] = [];
  for (const entry of entries) {
    if (entry.undo) held.pop();
    else if (held[held.length - 1]?.user !== entry.user) held.push(entry);
  }
  return held;
}

/** Changes of a device's binding that are reported. */
const MOST_HISTORY = 1_000;

/** What to tell of a device, from its entries in log order; null if it has none. `nameOf`: null for nobody. */
export function deviceBindings<User>(
  entries: readonly { readonly user: User; readonly at: number; readonly undo: boolean }[],
  nameOf: (user: User) => string | null,
): DeviceBindings | null {
  if (entries.length === 0) return null;
  const held = heldBindings(entries).pop();
  const history = entries.slice(-MOST_HISTORY).map(({ at, undo, user }) => {
    return { at, action: undo ? ('undo' as const) : ('bind' as const), userId: nameOf(user) };
  });
  return { userId: held === undefined ? null : nameOf(held.user), boundAt: held?.at ?? null, history };
}

/** The entry that undoes the last binding of a device, given its entries so far; null if it is bound to nobody. */
export function undoing(entries: readonly Binding[], at: number): Binding | null {
  const held = heldBindings(entries);
  const last = held.pop();
  return last ? { device: last.device, user: held[held.length - 1]?.user ?? 0, at, undo: true } : null;
}

/**
 * The log without a user (0: without any): nothing of devices bound to it now; of devices that once were, only the bindings to
 * others that count. Undone bindings of those are removed, too, since they would make no sense.
 */
export function bindingsWithout(entries: readonly Binding[], user: number, boundNow: ReadonlySet<number>): Binding[] {
  const once = new Set(entries.filter((entry) => user !== 0 && entry.user === user).map(({ device }) => device));
  const theirs = entries.filter(({ device }) => once.has(device));
  const held = Map.groupBy(theirs, ({ device }) => device);
  const others = (own: readonly Binding[]): Binding[] => heldBindings(own).filter((entry) => entry.user !== user);
  const kept = new Set([...held.values()].flatMap((own) => heldBindings(others(own))));
  return entries.filter((entry) => !boundNow.has(entry.device) && (!once.has(entry.device) || kept.has(entry)));
}

export function replaceBindings(connection: Connection, entries: readonly Binding[]): void {
  connection.prepare('DELETE FROM bindings').run();
  for (let first = 0; first < entries.length; first += CHUNK) {
    const some = entries.slice(first, first + CHUNK);
    const data = encodeBindings(some);
    connection
      .prepare('INSERT INTO bindings (first, count, data, sum) VALUES (?, ?, ?, ?)')
      .run(first, some.length, data, sumOf(data));
  }
}

interface ChunkRow extends StoredBytes {
  readonly first: number;
  readonly count: number;
}

export function encodeBindings(entries: readonly Binding[]): Buffer {
  const data = Buffer.alloc(entries.length * ENTRY);
  entries.forEach(({ device, user, at, undo }, i) => {
    data.writeUInt32LE(device, i * ENTRY);
    data.writeUInt32LE(user, i * ENTRY + 4);
    data.writeDoubleLE(undo ? -at : at, i * ENTRY + 8);
  });
  return data;
}
