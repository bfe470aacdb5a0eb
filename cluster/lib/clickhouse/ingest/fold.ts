/** What requests bring, given what is stored of the same ids, users and devices → rows and answers. */
import {
  type AppendAnswer,
  bindingDate,
  HeldProperties,
  ID_WINDOW,
  type NormalIdentify,
  type StoredProfile,
  undo,
} from '../../../../lib/seam.ts';
import type { Item } from './event-collector.ts';
import type { ParsedRequest } from './parse-request.ts';

/** A profile that changes. */
interface HeldProfile extends Pick<StoredProfile, 'firstSeen' | 'lastSeen'> {
  readonly properties: HeldProperties;
}

/** `user`: to whom the device is bound from then on; '' for nobody. */
export interface BindingEntry {
  readonly at: number;
  readonly user: string;
  readonly undo: boolean;
}

/** What is stored of whatever requests name. */
export interface Stored {
  /** Insert id → when an event with it last arrived. */
  readonly ids: ReadonlyMap<string, number>;
  /** Insert ids of events of imports, of those that requests import. */
  readonly imported: ReadonlySet<string>;
  readonly profiles: ReadonlyMap<string, StoredProfile>;
  /** Bindings of devices that are to be unbound, oldest first. */
  readonly bindings: ReadonlyMap<string, readonly BindingEntry[]>;
  /** When ClickHouse began to keep the dates of changes to profiles, milliseconds since the epoch. */
  readonly datedSince: number;
}

/** What `Stored` must say about some requests. */
export interface Named {
  readonly ids: ReadonlySet<string>;
  /** Those of imports. */
  readonly imported: ReadonlySet<string>;
  readonly users: ReadonlySet<string>;
  readonly devices: ReadonlySet<string>;
}

export interface Folded {
  readonly events: readonly string[];
  readonly identities: readonly string[];
  /** One for each request. */
  readonly answers: readonly AppendAnswer[];
}

export function namedBy(requests: readonly ParsedRequest[]): Named {
  const [ids, imported] = [new Set<string>(), new Set<string>()];
  const [users, devices] = [new Set<string>(), new Set<string>()];
  for (const { items } of requests) {
    for (const item of items) {
      if (item.kind === 'unbind') devices.add(item.deviceId);
      else if (item.change !== null) users.add(item.change.userId);
      if (item.kind !== 'event' || item.insertId === null) continue;
      ids.add(item.insertId);
      if (item.isImported) imported.add(item.insertId);
    }
  }
  return { ids, imported, users, devices };
}

/** Arrival numbers that requests may need: one each, as in the embedded store, and one for each row. */
export function arrivalsOf(requests: readonly ParsedRequest[]): number {
  return requests.reduce((sum, { items }) => sum + 1 + items.length, 0);
}

/** Folds requests of one project, in order. Counts duplicates and stored events in them. */
export class Fold {
  readonly #project: string;
  readonly #ids: Map<string, number>;
  readonly #imported: Set<string>;
  readonly #stored: Stored['profiles'];
  /** Those that changed. */
  readonly #profiles = new Map<string, HeldProfile>();
  readonly #bindings: Map<string, BindingEntry[]>;
  /** Users whose profiles changed, with the arrival of the last change and when its request came. */
  readonly #changed = new Map<string, readonly [arrival: number, received: number]>();
  readonly #datedSince: number;
  readonly #events: string[] = [];
  readonly #identities: string[] = [];
  #next: number;

  constructor(project: string, { ids, imported, profiles, bindings, datedSince }: Stored, first: number) {
    this.#datedSince = datedSince;
    this.#project = JSON.stringify(project);
    this.#ids = new Map(ids);
    this.#imported = new Set(imported);
    this.#stored = profiles;
    this.#bindings = new Map([...bindings].map(([device, entries]) => [device, [...entries]]));
    this.#next = first;
  }

  fold(requests: readonly ParsedRequest[]): Folded {
    const answers = requests.map((request) => this.#request(request));
    for (const [user, [arrival, received]] of this.#changed) {
      const { properties, firstSeen, lastSeen } = this.#profile(user);
      const profile = [user, '', 0, 0, JSON.stringify(properties), firstSeen, lastSeen, properties.dates()];
      this.#identities.push(this.#identity(arrival, received, profile));
    }
    return { events: this.#events, identities: this.#identities, answers };
  }

  #request(request: ParsedRequest): AppendAnswer {
    const { taken, items, counts } = request;
    this.#next++;
    const ignored: string[] = [];
    const before = this.#events.length;
    let undone = 0;
    for (const item of items) {
      switch (item.kind) {
        case 'event':
          ignored.push(...this.#event(item, request));
          break;
        case 'identify':
          ignored.push(...this.#identify(item, request.receivedAt));
          break;
        case 'unbind':
          undone += this.#unbind(item.deviceId, request.receivedAt) ? 1 : 0;
      }
    }
    counts.stored = this.#events.length - before;
    return { ...taken, accepted: taken.accepted + undone, ignored };
  }

  #event(
    { insertId, isImported, row, change }: Extract<Item, { kind: 'event' }>,
    { receivedAt, counts }: ParsedRequest,
  ): readonly string[] {
    if (insertId !== null) {
      const isRecent = (this.#ids.get(insertId) ?? -Infinity) > receivedAt - ID_WINDOW;
      if (isRecent || (isImported && this.#imported.has(insertId))) {
        counts.duplicate++;
        return [];
      }
      this.#ids.set(insertId, receivedAt);
      if (isImported) this.#imported.add(insertId);
    }
    const arrival = this.#next++;
    this.#events.push(`[${this.#project},${arrival}${row}`);
    return change === null ? [] : this.#change(change, null, [arrival, receivedAt]);
  }

  #identify({ change, deviceId }: Extract<Item, { kind: 'identify' }>, receivedAt: number): readonly string[] {
    const arrival = this.#next++;
    const ignored = this.#change(change, change.at ?? receivedAt, [arrival, receivedAt]);
    const at = bindingDate(change, receivedAt);
    if (deviceId !== null) this.#bind(deviceId, { at, user: change.userId, undo: false }, arrival);
    return ignored;
  }

  #unbind(deviceId: string, at: number): boolean {
    const undone = undo(this.#entries(deviceId), at);
    if (undone === null) return false;
    this.#bind(deviceId, { at: undone.at, user: undone.before?.user ?? '', undo: true }, this.#next++);
    return true;
  }

  #bind(deviceId: string, entry: BindingEntry, arrival: number): void {
    this.#entries(deviceId).push(entry);
    const row = [entry.user, deviceId, entry.undo ? 1 : 0, arrival, '', null, null, ''];
    this.#identities.push(this.#identity(arrival, entry.at, row));
  }

  #entries(deviceId: string): BindingEntry[] {
    const known = this.#bindings.get(deviceId) ?? [];
    this.#bindings.set(deviceId, known);
    return known;
  }

  /** `seen`: the time of an identify; null for an event's properties. Returns the properties that were ignored. */
  #change(change: NormalIdentify, seen: number | null, by: readonly [number, number]): readonly string[] {
    const profile = this.#profile(change.userId);
    const ignored = profile.properties.apply(change);
    if (seen !== null) {
      profile.firstSeen = Math.min(profile.firstSeen ?? Infinity, seen);
      profile.lastSeen = Math.max(profile.lastSeen ?? -Infinity, seen);
    }
    this.#changed.set(change.userId, by);
    return ignored;
  }

  #profile(user: string): HeldProfile {
    let profile = this.#profiles.get(user);
    if (profile === undefined) {
      const { properties, firstSeen, lastSeen, dates } = this.#stored.get(user) ?? NOBODY;
      profile = { properties: new HeldProperties(properties, dates, this.#datedSince), firstSeen, lastSeen };
      this.#profiles.set(user, profile);
    }
    return profile;
  }

  #identity(arrival: number, received: number, rest: readonly (string | number | null)[]): string {
    return `[${this.#project},${arrival},${received},${JSON.stringify(rest).slice(1)}\n`;
  }
}

const NOBODY: StoredProfile = { properties: {}, firstSeen: null, lastSeen: null, dates: '' };
