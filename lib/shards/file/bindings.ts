/**
 * The log of bindings, device → user, in order of arrival. An entry takes 16 bytes: u32 device, u32 user (codes of the ids
 * dictionary; user 0: bound to nobody), f64 time of arrival, negative for an undo. An undo names the user bound afterwards, so
 * the last entry of a device always says to whom it is bound. The number of entries is the version of the identity.
 */
import type { DeviceBindings } from '../writer-messages.ts';
import type { Connection } from './shard-file.ts';
import { GrowableUint32 } from '../../base/growable.ts';
import { kept } from '../../base/kept.ts';
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

/** Who was bound to whom after the first `version` entries: device code → user code, 0 for nobody. */
export interface Bound {
  readonly version: number;
  /** Devices beyond its end are bound to nobody: an identify may have brought devices that no segment, and no reader, knows yet. */
  readonly codes: Uint32Array;
}

export const NOBODY_BOUND: Bound = { version: 0, codes: new Uint32Array(1) };

/** Reads only what follows `earlier`, of the same log, if it is not newer. */
export function readBindings(connection: Connection, version: number, earlier = NOBODY_BOUND): Bound {
  const from = earlier.version <= version ? earlier : NOBODY_BOUND;
  const bound = new GrowableUint32();
  bound.values = from.codes.slice();
  bound.length = from.codes.length;
  for (const { first, count, ...row } of chunks(connection, from.version)) {
    if (first >= version) break;
    const words = wordsOf(bytesOf(row));
    const end = Math.min(count, version - first) * ENTRY_WORDS;
    for (let at = Math.max(0, from.version - first) * ENTRY_WORDS; at < end; at += ENTRY_WORDS) {
      const device = words[at]!;
      while (bound.length <= device) bound.push(0);
      bound.values[device] = words[at + 1]!;
    }
  }
  return { version, codes: bound.values.slice(0, bound.length) };
}

/**
 * The rows of the table with entries from number `from` on. One at a time: together they may be gigabytes, since whoever sends events
 * decides how often a device is bound. Its reader may use the connection meanwhile.
 */
function* chunks(connection: Connection, from: number): Generator<ChunkRow> {
  const next = connection.prepare<[number, number], ChunkRow>(
    'SELECT first, count, data, sum FROM bindings WHERE first >= ? AND first + count > ? ORDER BY first LIMIT 1',
  );
  for (let at = 0, row = next.get(at, from); row; row = next.get(at, from)) {
    yield row;
    at = row.first + row.count;
  }
}

/** The entries as words, little-endian. */
function wordsOf(data: Buffer): Uint32Array {
  const { buffer, byteOffset, byteLength } = data.byteOffset % 4 === 0 ? data : new Uint8Array(data);
  return new Uint32Array(buffer, byteOffset, byteLength >>> 2);
}

/** All entries, oldest first. */
export function* allBindings(connection: Connection): Generator<Binding> {
  for (const row of chunks(connection, 0)) {
    const data = bytesOf(row);
    for (let at = 0; at < data.length; at += ENTRY) yield bindingAt(data, at);
  }
}

function bindingAt(data: Buffer, at: number): Binding {
  const time = data.readDoubleLE(at + 8);
  return { device: data.readUInt32LE(at), user: data.readUInt32LE(at + 4), at: Math.abs(time), undo: time < 0 };
}

/**
 * The entries of one device that tell who it is and its history, oldest first: the newest MOST_HISTORY, and before them as many of
 * those in force then. So they are few, however often it was bound. Reads the whole log, but creates objects only for that device.
 */
export function bindingsOfDevice(connection: Connection, device: number): Binding[] {
  const held: Binding[] = [];
  let newest: Binding[] = [];
  for (const row of chunks(connection, 0)) {
    const data = bytesOf(row);
    const words = wordsOf(data);
    for (let at = 0; at < words.length; at += ENTRY_WORDS)
      if (words[at] === device) newest.push(bindingAt(data, at * 4));
    if (newest.length <= MOST_HISTORY) continue;
    for (const entry of newest.slice(0, -MOST_HISTORY)) hold(held, entry);
    newest = newest.slice(-MOST_HISTORY);
    if (held.length > MOST_HISTORY) held.splice(0, held.length - MOST_HISTORY);
  }
  return [...held, ...newest];
}

/**
 * The bindings of a device that count, from its entries in log order: the last one is in force, and an undo removes it. Binding
 * to the same user again is not a new binding.
 */
export function heldBindings<B extends Change>(entries: Iterable<B>): B[] {
  const held: B[] = [];
  for (const entry of entries) hold(held, entry);
  return held;
}

interface Change {
  readonly user: unknown;
  readonly undo: boolean;
}

/** Applies a further entry to those that count. */
function hold<B extends Change>(held: B[], entry: B): void {
  if (entry.undo) held.pop();
  else if (held.at(-1)?.user !== entry.user) held.push(entry);
}

/** Changes of a device's binding that are reported, and how many of them in a row can be undone at least. */
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

/** Whose bindings to erase: codes of users, and of the devices that are bound to them now. */
export interface Forgotten {
  readonly users: ReadonlySet<number>;
  readonly devices: ReadonlySet<number>;
}

/**
 * Rewrites the log without users: nothing of the devices bound to them now; of devices that once were, only the bindings to others that
 * count, the newest MOST_HISTORY at least. Undone bindings of those are removed, too, since they would make no sense. Must run inside
 * the caller's transaction. Returns the number of entries left. Reads the log thrice instead of holding it.
 */
export function eraseBindings(connection: Connection, forgotten: Forgotten): number {
  const once = devicesOnceOf(connection, forgotten);
  const others = heldByOthers(connection, once, forgotten.users);
  const remove = connection.prepare('DELETE FROM bindings WHERE first = ?');
  const insert = connection.prepare('INSERT INTO bindings (first, count, data, sum) VALUES (?, ?, ?, ?)');
  const left = Buffer.alloc(CHUNK * ENTRY);
  let [length, used, next] = [0, 0, 0];
  const store = (): void => {
    const data = Buffer.from(left.subarray(0, used));
    insert.run(length, used / ENTRY, data, sumOf(data));
    length += used / ENTRY;
    used = 0;
  };
  for (const row of chunks(connection, 0)) {
    remove.run(row.first); // what is stored goes before the rows that were not read yet
    const data = bytesOf(row);
    const words = wordsOf(data);
    for (let i = 0; i < row.count; i++) {
      const device = words[i * ENTRY_WORDS]!;
      const isKept = once.has(device) ? others[next] === row.first + i : !forgotten.devices.has(device);
      if (!isKept) continue;
      if (once.has(device)) next++;
      used += data.copy(left, used, i * ENTRY, (i + 1) * ENTRY);
      if (used === left.length) store();
    }
  }
  if (used > 0) store();
  return length;
}

function devicesOnceOf(connection: Connection, { users, devices }: Forgotten): Set<number> {
  const once = new Set<number>();
  for (const row of chunks(connection, 0)) {
    const words = wordsOf(bytesOf(row));
    for (let at = 0; at < words.length; at += ENTRY_WORDS)
      if (users.has(words[at + 1]!) && !devices.has(words[at]!)) once.add(words[at]!);
  }
  return once;
}

/** The numbers of the entries of some devices that count without some users, ascending. */
function heldByOthers(
  connection: Connection,
  devices: ReadonlySet<number>,
  users: ReadonlySet<number>,
): readonly number[] {
  if (devices.size === 0) return [];
  const held = new Map<number, (Change & { readonly user: number; readonly nth: number })[]>();
  for (const row of chunks(connection, 0)) {
    const data = bytesOf(row);
    const words = wordsOf(data);
    for (let at = 0; at < words.length; at += ENTRY_WORDS) {
      if (!devices.has(words[at]!)) continue;
      const own = kept(held, words[at]!, () => []);
      const { user, undo } = bindingAt(data, at * 4);
      hold(own, { user, undo, nth: row.first + at / ENTRY_WORDS });
      if (own.length === 2 * MOST_HISTORY) own.splice(0, MOST_HISTORY);
    }
  }
  const others = [...held.values()].flatMap((own) => heldBindings(own.filter(({ user }) => !users.has(user))));
  return others.map(({ nth }) => nth).sort((a, b) => a - b);
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
