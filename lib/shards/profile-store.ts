/** Profiles of a shard in the thread that writes: changes wait in memory until the next seal stores them with the events. */
import type { NormalIdentify } from './event.ts';
import { applyChanges } from './enrich/profile.ts';
import { sumOf, textOf } from './stored-bytes.ts';
import { parseStored } from './stored-json.ts';
import { guarded, prepared, type Connection } from './shard-file.ts';

/** `firstSeen`, `lastSeen`: what is known besides the stored events (identifies, events that retention dropped). */
interface StoredProfile {
  firstSeen: number | null;
  lastSeen: number | null;
  properties: Readonly<Record<string, unknown>>;
}

/** A row of table `profiles`. */
export interface ProfileRow {
  readonly person: number;
  readonly firstSeen: number | null;
  readonly lastSeen: number | null;
  readonly properties: string;
}

/** Takes times of users whose events are about to be dropped into their profiles. Inside a transaction of the caller. */
export function rememberTimes(
  connection: Connection,
  times: ReadonlyMap<number, { readonly first: number; readonly last: number }>,
): void {
  for (const [person, { first, last }] of times) {
    const { firstSeen, lastSeen, properties } = stored(() => connection, person);
    const seen = { firstSeen: Math.min(firstSeen ?? Infinity, first), lastSeen: Math.max(lastSeen ?? -Infinity, last) };
    saveProfiles(connection, [{ person, ...seen, properties: JSON.stringify(properties) }]);
  }
}

/** Inside a transaction of the caller. */
export function saveProfiles(connection: Connection, rows: readonly ProfileRow[]): void {
  const upsert = prepared(
    connection,
    'INSERT OR REPLACE INTO profiles (person, first_seen, last_seen, properties, sum) VALUES (?, ?, ?, ?, ?)',
  );
  for (const { person, firstSeen, lastSeen, properties } of rows)
    upsert.run(person, firstSeen, lastSeen, properties, sumOf(properties));
}

export class ProfileStore {
  #changed = new Map<number, StoredProfile>();
  /** Of these, what is being stored: a further change is made to a copy. */
  #frozen: ReadonlyMap<number, StoredProfile> = new Map();
  /** Read, and not changed so far. */
  readonly #known = new Map<number, StoredProfile>();

  /** Profiles that changed since the last `freeze`. */
  get changed(): number {
    return this.#changed.size;
  }

  /** Sets apart what a seal takes. Returns how many profiles. */
  freeze(): number {
    this.#frozen = this.#changed;
    this.#changed = new Map();
    this.#known.clear();
    return this.#frozen.size;
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
    if (seen !== null) {
      profile.firstSeen = Math.min(profile.firstSeen ?? Infinity, seen);
      profile.lastSeen = Math.max(profile.lastSeen ?? -Infinity, seen);
    }
    return ignored;
  }

  /** The frozen profiles, as they are stored. */
  rows(): ProfileRow[] {
    return [...this.#frozen].map(([person, { firstSeen, lastSeen, properties }]) => {
      return { person, firstSeen, lastSeen, properties: JSON.stringify(properties) };
    });
  }

  /** The frozen profiles are stored. */
  saved(): void {
    this.#frozen = new Map();
  }

  /** Reads the profile of a person, which `apply` then finds in memory; whether it had to be read. Throws AppError for a damaged one. */
  read(connection: (() => Connection) | null, person: number): boolean {
    if (this.#changed.has(person) || this.#frozen.has(person) || this.#known.has(person)) return false;
    this.#known.set(person, stored(connection, person));
    return connection !== null;
  }

  /** Names of properties of the profiles that changed last, at most so many of these. */
  keys(profiles: number): Set<string> {
    const newest = [...this.#frozen.values(), ...this.#changed.values()].slice(-profiles);
    return new Set(newest.flatMap(({ properties }) => Object.keys(properties)));
  }

  #get(connection: (() => Connection) | null, person: number): StoredProfile {
    let profile = this.#changed.get(person);
    if (!profile) {
      const frozen = this.#frozen.get(person);
      profile = frozen ? { ...frozen } : (this.#known.get(person) ?? stored(connection, person));
      this.#known.delete(person);
      this.#changed.set(person, profile);
    }
    return profile;
  }
}

function stored(connection: (() => Connection) | null, person: number): StoredProfile {
  return guarded('profiles', () => {
    const row =
      connection &&
      prepared<[number], StoredProfileRow>(
        connection(),
        'SELECT first_seen, last_seen, properties, sum FROM profiles WHERE person = ?',
      ).get(person);
    if (!row) return { firstSeen: null, lastSeen: null, properties: {} };
    const properties = parseStored<Record<string, unknown>>(textOf(row.properties, row.sum));
    return { firstSeen: row.first_seen, lastSeen: row.last_seen, properties };
  });
}

interface StoredProfileRow {
  readonly first_seen: number | null;
  readonly last_seen: number | null;
  readonly properties: string;
  readonly sum: number | null;
}
