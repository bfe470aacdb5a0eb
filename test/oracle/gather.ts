/** World → facts: who is bound to what, which events are stored, what profiles contain in the end. */
import { enrich } from './enrich.ts';
import { normaliseEvent, normaliseTime, type PlainEvent } from './normalise.ts';
import { applyIdentify, readIdentify, type DatedProperties, type Identify } from './profiles.ts';
import type { Facts, OracleEvent, OracleProfile, World } from './world.ts';

const DEDUPLICATION_MS = 7 * 24 * 3600_000;

interface Shelf {
  readonly events: PlainEvent[];
  /** Device → the users whose bindings count, the current one last. */
  readonly bindings: Map<string, string[]>;
  /** Device → the date of what was last said of its binding. */
  readonly bound: Map<string, number>;
  readonly profiles: Map<string, DatedProperties & { firstSeen: number; lastSeen: number }>;
  /** insert id → when the stored event with it arrived. */
  readonly seen: Map<string, number>;
  readonly imported: Set<string>;
}

export function gather(world: World): Facts {
  const shelf = shelve(world);
  const events = shelf.events.map((event, arrival): OracleEvent => ({
    ...event,
    arrival,
    insertId: event.insertId ?? `evt_${String(arrival).padStart(16, '0')}`,
    enriched: enrich(event),
    distinctId: personOf(event, shelf.bindings),
  }));
  events.sort((a, b) => a.time - b.time || a.arrival - b.arrival);
  return { events, profiles: closeProfiles(shelf) };
}

/** What an erasure leaves of a world: not the user's events, nor the anonymous ones of devices bound to the user. */
export function gatherWithout(world: World, userId: string): Facts {
  const { events, profiles } = gather(world);
  const { bindings } = shelve(world);
  const isGone = (event: OracleEvent): boolean =>
    event.userId === userId ||
    (event.userId === null && event.deviceId !== null && bindings.get(event.deviceId)?.at(-1) === userId);
  return {
    events: events.filter((event) => !isGone(event)),
    profiles: new Map([...profiles].filter(([user]) => user !== userId)),
  };
}

function shelve(world: World): Shelf {
  const shelf: Shelf = {
    ...{ events: [], bindings: new Map(), bound: new Map(), profiles: new Map() },
    ...{ seen: new Map(), imported: new Set() },
  };
  for (const request of world) {
    if ('track' in request) {
      for (const raw of request.track) storeEvent(shelf, raw, request.at, request.publicKey === true);
    } else if ('unbind' in request) unbind(shelf, request.unbind, request.at);
    else {
      const identify = readIdentify(request.identify);
      if (identify !== null) storeIdentify(shelf, identify, request.at);
    }
  }
  return shelf;
}

function storeEvent(shelf: Shelf, raw: unknown, at: number, publicKey: boolean): void {
  const event = normaliseEvent(raw, at, publicKey);
  if (event === null) return;
  if (event.insertId !== null) {
    const before = shelf.seen.get(event.insertId);
    if (before !== undefined && at - before < DEDUPLICATION_MS) return;
    if (event.importId !== null && shelf.imported.has(event.insertId)) return;
    shelf.seen.set(event.insertId, at);
    if (event.importId !== null) shelf.imported.add(event.insertId);
  }
  shelf.events.push(event);
  if (event.userId === null) return;
  const profile = seeProfile(shelf, event.userId, event.time);
  const set = Object.entries(event.userProperties);
  applyIdentify(profile, { set, setOnce: [], add: [], unset: [] }, event.time);
}

function storeIdentify(shelf: Shelf, identify: Identify, arrived: number): void {
  const at = normaliseTime(identify.time, arrived);
  if (identify.deviceId !== null) bind(shelf, identify.deviceId, { user: identify.userId, at });
  applyIdentify(seeProfile(shelf, identify.userId, at), identify.changes, at);
}

function unbind({ bindings, bound }: Shelf, device: string, at: number): void {
  if (bindings.get(device)?.pop() !== undefined) bound.set(device, Math.max(at, bound.get(device) ?? at));
}

function bind({ bindings, bound }: Shelf, device: string, { user, at }: { user: string; at: number }): void {
  if (at < (bound.get(device) ?? at)) return;
  bound.set(device, at);
  const users = bindings.get(device) ?? [];
  if (users.at(-1) !== user) users.push(user);
  bindings.set(device, users);
}

function seeProfile(shelf: Shelf, userId: string, time: number): DatedProperties {
  const known = shelf.profiles.get(userId);
  const profile = known ?? {
    firstSeen: time,
    lastSeen: time,
    properties: new Map<string, unknown>(),
    dates: new Map<string, number>(),
  };
  profile.firstSeen = Math.min(profile.firstSeen, time);
  profile.lastSeen = Math.max(profile.lastSeen, time);
  shelf.profiles.set(userId, profile);
  return profile;
}

function personOf(event: PlainEvent, bindings: ReadonlyMap<string, readonly string[]>): string | null {
  if (event.userId !== null) return event.userId;
  if (event.deviceId === null) return null;
  return bindings.get(event.deviceId)?.at(-1) ?? event.deviceId;
}

function closeProfiles(shelf: Shelf): Map<string, OracleProfile> {
  const closed = new Map<string, OracleProfile>();
  for (const [userId, { firstSeen, lastSeen, properties }] of shelf.profiles) {
    closed.set(userId, { userId, firstSeen, lastSeen, properties: Object.fromEntries(properties) });
  }
  return closed;
}
