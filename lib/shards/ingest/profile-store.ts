/** Profiles of a shard in the thread that writes: changes wait in memory until the next seal stores them with the events. */
import type { NormalIdentify } from '../event.ts';
import { applyChanges } from './enrich/profile.ts';
import { storedProfile, type ProfileRow, type StoredProfile } from '../file/profile-table.ts';
import type { Connection } from '../file/shard-file.ts';

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
    this.#known.set(person, storedProfile(connection, person));
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
      profile = frozen ? { ...frozen } : (this.#known.get(person) ?? storedProfile(connection, person));
      this.#known.delete(person);
      this.#changed.set(person, profile);
    }
    return profile;
  }
}
