/** Profiles of a shard in its writer: changes wait in memory until the next seal stores them with the events. */
import type { NormalIdentify } from '../event.ts';
import { applyChanges } from './enrich/profile.ts';
import { readProfile, type ProfileRow, type StoredProfile } from '../file/profile-table.ts';
import { guarded, type Connection } from '../file/shard-file.ts';

export class ProfileStore {
  #changed = new Map<number, StoredProfile>();
  /** Profiles being stored; a further change goes to a copy. */
  #frozen: ReadonlyMap<number, StoredProfile> = new Map();
  /** Read and not changed yet. */
  readonly #known = new Map<number, StoredProfile>();

  /** Profiles that changed since the last `freeze`. */
  get changed(): number {
    return this.#changed.size;
  }

  /** Sets aside what a seal stores. Returns the number of profiles. */
  freeze(): number {
    this.#frozen = this.#changed;
    this.#changed = new Map();
    this.#known.clear();
    return this.#frozen.size;
  }

  /**
   * Applies changes to the profile of a person. `connection`: null if nothing is stored. `seen`: the time of an identify, null
   * for an event's user_properties. Returns the properties that were ignored.
   */
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

  /** Sets a whole profile. */
  put(person: number, profile: StoredProfile): void {
    this.#changed.set(person, profile);
  }

  /** The frozen profiles in their stored form. */
  rows(): ProfileRow[] {
    return [...this.#frozen].map(([person, { firstSeen, lastSeen, properties }]) => {
      return { person, firstSeen, lastSeen, properties: JSON.stringify(properties) };
    });
  }

  /** Call it once the frozen profiles are stored. */
  saved(): void {
    this.#frozen = new Map();
  }

  /** Reads a person's profile into memory for `apply`; returns whether it had to be read. Throws AppError if it is damaged. */
  read(connection: (() => Connection) | null, person: number): boolean {
    if (this.#changed.has(person) || this.#frozen.has(person) || this.#known.has(person)) return false;
    this.#known.set(person, stored(connection, person));
    return connection !== null;
  }

  /** Property names of the most recently changed profiles, at most `profiles` of them. */
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

/** The profile of a person in the file; `connection`: null if there is none. Throws AppError if it is damaged. */
const stored = (connection: (() => Connection) | null, person: number): StoredProfile =>
  connection === null
    ? { firstSeen: null, lastSeen: null, properties: {} }
    : guarded('profiles', () => readProfile(connection(), person));
