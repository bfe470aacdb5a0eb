/**
 * The log of bindings, device → user, in order of arrival. An entry takes 16 bytes: u32 device, u32 user (codes of the ids
 * dictionary; user 0: bound to nobody), f64 date of the binding, negative for an undo. An undo names the user bound afterwards. To whom
 * a device is bound is what its last entry says that is not older than one before it: an identify may tell of the past. The number
 * of entries is the version of the identity.
 */
import type { DeviceBindings } from '../writer-messages.ts';
import type { Connection } from './shard-file.ts';
import { GrowableFloat64, GrowableUint32 } from '../../base/growable.ts';
import { kept } from '../../base/kept.ts';
import { checkedBytes, sumOf, type StoredBytes } from './stored-bytes.ts';

export interface DeviceBinding {
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
  const data = Buffer.concat([open ? checkedBytes(open) : Buffer.alloc(0), entries]);
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
  /** The date of each device's binding. */
  readonly dates: Float64Array;
}

export const NOBODY_BOUND: Bound = { version: 0, codes: new Uint32Array(1), dates: new Float64Array(1) };

/** Reads only what follows `earlier`, of the same log, if it is not newer. */
export function readBindings(connection: Connection, version: number, earlier = NOBODY_BOUND): Bound {
  const from = earlier.version <= version ? earlier : NOBODY_BOUND;
  const bound = new GrowableUint32();
  bound.values = from.codes.slice();
  bound.length = from.codes.length;
  const dates = new GrowableFloat64();
  dates.values = from.dates.slice();
  dates.length = from.dates.length;
  for (const { first, count, ...row } of chunks(connection, from.version)) {
    if (first >= version) break;
    const data = checkedBytes(row);
    const words = wordsOf(data);
    const end = Math.min(count, version - first) * ENTRY_WORDS;
    for (let at = Math.max(0, from.version - first) * ENTRY_WORDS; at < end; at += ENTRY_WORDS) {
      const device = words[at]!;
      while (bound.length <= device) bound.push(0);
      while (dates.length <= device) dates.push(-Infinity);
      const time = data.readDoubleLE(at * 4 + 8);
      if (time >= 0 && time < dates.values[device]!) continue; // an old one, and no undo
      bound.values[device] = words[at + 1]!;
      dates.values[device] = Math.max(dates.values[device]!, Math.abs(time));
    }
  }
  return { version, codes: bound.values.slice(0, bound.length), dates: dates.values.slice(0, dates.length) };
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
export function* allBindings(connection: Connection): Generator<DeviceBinding> {
  for (const row of chunks(connection, 0)) {
    const data = checkedBytes(row);
    for (let at = 0; at < data.length; at += ENTRY) yield bindingAt(data, at);
  }
}

function bindingAt(data: Buffer, at: number): DeviceBinding {
  const time = data.readDoubleLE(at + 8);
  return { device: data.readUInt32LE(at), user: data.readUInt32LE(at + 4), at: Math.abs(time), undo: time < 0 };
}

/**
 * The entries of one device that tell who it is and its history, oldest first: the newest MOST_HISTORY, and before them as many of
 * those in force then. So they are few, however often it was bound. Reads the whole log, but creates objects only for that device.
 */
export function bindingsOfDevice(connection: Connection, device: number): DeviceBinding[] {
  const past = new DeviceFold<DeviceBinding>();
  let newest: DeviceBinding[] = [];
  for (const row of chunks(connection, 0)) {
    const data = checkedBytes(row);
    const words = wordsOf(data);
    for (let at = 0; at < words.length; at += ENTRY_WORDS)
      if (words[at] === device) newest.push(bindingAt(data, at * 4));
    if (newest.length <= MOST_HISTORY) continue;
    for (const entry of newest.slice(0, -MOST_HISTORY)) past.add(entry);
    newest = newest.slice(-MOST_HISTORY);
    past.leave(MOST_HISTORY);
  }
  return [...past.held, ...newest];
}

/**
 * The bindings of a device that count, from its entries in log order: the last one is in force, and an undo removes it. DeviceBinding
 * to the same user again is not a new binding, and one that is older than that in force has no effect.
 */
export function heldBindings<B extends Change>(entries: Iterable<B>): B[] {
  const fold = new DeviceFold<B>();
  for (const entry of entries) fold.add(entry);
  return fold.held;
}

interface Change {
  readonly user: unknown;
  readonly at: number;
  readonly undo: boolean;
}

/** The entries of a device, in log order, and what counts of them. */
class DeviceFold<B extends Change> {
  readonly held: B[] = [];
  #date = -Infinity;

  /** Returns whether the entry has an effect. */
  add(entry: B): boolean {
    if (!entry.undo && entry.at < this.#date) return false;
    this.#date = Math.max(this.#date, entry.at);
    if (entry.undo) this.held.pop();
    else if (this.held.at(-1)?.user !== entry.user) this.held.push(entry);
    return true;
  }

  /** Forgets all but the newest. */
  leave(most: number): void {
    if (this.held.length > most) this.held.splice(0, this.held.length - most);
  }

  /** The date of an undo now: no earlier than what it undoes. */
  undoneAt(now: number): number {
    return Math.max(now, this.#date);
  }
}

/** Changes of a device's binding that are reported, and how many of them in a row can be undone at least. */
const MOST_HISTORY = 1_000;

/** What to tell of a device, from its entries in log order; null if it has none. `nameOf`: null for nobody. */
export function deviceBindings<User>(
  entries: readonly { readonly user: User; readonly at: number; readonly undo: boolean }[],
  nameOf: (user: User) => string | null,
): DeviceBindings | null {
  if (entries.length === 0) return null;
  const fold = new DeviceFold<(typeof entries)[number]>();
  const effective = entries.filter((entry) => fold.add(entry));
  const held = fold.held.at(-1);
  const history = effective.slice(-MOST_HISTORY).map(({ at, undo, user }) => {
    return { at, action: undo ? ('undo' as const) : ('bind' as const), userId: nameOf(user) };
  });
  return { userId: held === undefined ? null : nameOf(held.user), boundAt: held?.at ?? null, history };
}

/** The entry that undoes the last binding of a device, given its entries so far; null if it is bound to nobody. */
export function undoing(entries: readonly DeviceBinding[], at: number): DeviceBinding | null {
  const undone = undo(entries, at);
  return undone && { device: undone.last.device, user: undone.before?.user ?? 0, at: undone.at, undo: true };
}

/** The binding that an undo at a time ends, the one that is in force then, and the date of the undo; null if there is none to end. */
export function undo<B extends Change>(
  entries: Iterable<B>,
  now: number,
): { readonly last: B; readonly before: B | undefined; readonly at: number } | null {
  const fold = new DeviceFold<B>();
  for (const entry of entries) fold.add(entry);
  const [last, before] = [fold.held.at(-1), fold.held.at(-2)];
  return last === undefined ? null : { last, before, at: fold.undoneAt(now) };
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
    const data = checkedBytes(row);
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
    const words = wordsOf(checkedBytes(row));
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
  const folds = new Map<number, DeviceFold<Change & { readonly user: number; readonly nth: number }>>();
  for (const row of chunks(connection, 0)) {
    const data = checkedBytes(row);
    const words = wordsOf(data);
    for (let at = 0; at < words.length; at += ENTRY_WORDS) {
      if (!devices.has(words[at]!)) continue;
      const own = kept(folds, words[at]!, () => new DeviceFold());
      own.add({ ...bindingAt(data, at * 4), nth: row.first + at / ENTRY_WORDS });
      if (own.held.length === 2 * MOST_HISTORY) own.leave(MOST_HISTORY);
    }
  }
  const others = [...folds.values()].flatMap(({ held }) => heldBindings(held.filter(({ user }) => !users.has(user))));
  return others.map(({ nth }) => nth).sort((a, b) => a - b);
}

interface ChunkRow extends StoredBytes {
  readonly first: number;
  readonly count: number;
}

export function encodeBindings(entries: readonly DeviceBinding[]): Buffer {
  const data = Buffer.alloc(entries.length * ENTRY);
  entries.forEach(({ device, user, at, undo }, i) => {
    data.writeUInt32LE(device, i * ENTRY);
    data.writeUInt32LE(user, i * ENTRY + 4);
    data.writeDoubleLE(undo ? -at : at, i * ENTRY + 8);
  });
  return data;
}
