/** Profiles of a shard in the thread that writes: changes wait in memory until the next seal stores them with the events. */
import type { NormalIdentify } from './event.ts';
import { applyChanges } from './enrich/profile.ts';
import { parseStored } from './stored-json.ts';
import type { Connection } from './shard-file.ts';

/** `firstSeen`, `lastSeen`: what is known besides the stored events (identifies, events that retention dropped). */
interface StoredProfile {
  firstSeen: number | null;
  lastSeen: number | null;
  properties: Readonly<Record<string, unknown>>;
}

export class ProfileStore {
  readonly #changed = new Map<number, StoredProfile>();

  get unsaved(): boolean {
    return this.#changed.size > 0;
  }

  /** Applies changes to the profile of a person. `connection`: null when nothing is stored. `seen`: the moment of an identify, null for an event's user_properties. Returns what of $add was ignored. */
  apply(
    connection: (() => Connection) | null,
    person: number,
    change: NormalIdentify,
    seen: number | null,
  ): readonly string[] {
    const profile = this.#get(connection, person);
    const { properties, ignored } = applyChanges(profile.properties, change);
    profile.properties = properties;
    if (seen !== null) see(profile, seen, seen);
    return ignored;
  }

  /** Takes in the times of events that are about to be dropped. */
  see(connection: (() => Connection) | null, person: number, first: number, last: number): void {
    see(this.#get(connection, person), first, last);
  }

  /** Inside a transaction of the caller; call `saved` when it is committed. */
  save(connection: Connection): void {
    const upsert = connection.prepare(
      'INSERT OR REPLACE INTO profiles (person, first_seen, last_seen, properties) VALUES (?, ?, ?, ?)',
    );
    for (const [person, { firstSeen, lastSeen, properties }] of this.#changed)
      upsert.run(person, firstSeen, lastSeen, JSON.stringify(properties));
  }

  saved(): void {
    this.#changed.clear();
  }

  /** Names of properties of the profiles that changed last, at most so many of these. */
  keys(profiles: number): Set<string> {
    const newest = [...this.#changed.values()].slice(-profiles);
    return new Set(newest.flatMap(({ properties }) => Object.keys(properties)));
  }

  #get(connection: (() => Connection) | null, person: number): StoredProfile {
    let profile = this.#changed.get(person);
    if (!profile) {
      const row = connection?.()
        .prepare<[number], { first_seen: number | null; last_seen: number | null; properties: string }>(
          'SELECT first_seen, last_seen, properties FROM profiles WHERE person = ?',
        )
        .get(person);
      profile = row
        ? {
            firstSeen: row.first_seen,
            lastSeen: row.last_seen,
            properties: parseStored<Record<string, unknown>>(row.properties),
          }
        : { firstSeen: null, lastSeen: null, properties: {} };
      this.#changed.set(person, profile);
    }
    return profile;
  }
}

function see(profile: StoredProfile, first: number, last: number): void {
  profile.firstSeen = Math.min(profile.firstSeen ?? Infinity, first);
  profile.lastSeen = Math.max(profile.lastSeen ?? -Infinity, last);
}
