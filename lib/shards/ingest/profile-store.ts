/** Profiles of a shard in its writer: changes wait in memory until the next seal stores them with the events. */
import type { NormalIdentify } from '../event.ts';
import { HeldProperties } from './enrich/profile.ts';
import { readProfile, type ProfileRow, type StoredProfile } from '../file/profile-table.ts';
import { guarded, type Connection } from '../file/shard-file.ts';

/** What a profile takes in memory besides its keys and values, and each property of it, about. */
const PROFILE_MEMORY = 256;
const MEMBER_MEMORY = 64;

interface HeldProfile extends Pick<StoredProfile, 'firstSeen' | 'lastSeen'> {
  readonly properties: HeldProperties;
}

/** Profiles by person, with what they hold. */
class HeldProfiles extends Map<number, HeldProfile> {
  bytes = 0;
  memory = 0;

  /** Counts a profile (`by`: 1) that is put in, or one (-1) that is taken out or about to change. */
  count({ properties: { storedBytes: bytes, size } }: HeldProfile, by: 1 | -1): void {
    this.bytes += by * bytes;
    this.memory += by * memoryOf(bytes, size);
  }

  add(person: number, profile: HeldProfile): void {
    this.take(person);
    this.set(person, profile);
    this.count(profile, 1);
  }

  take(person: number): HeldProfile | undefined {
    const profile = this.get(person);
    if (profile !== undefined) this.count(profile, -1);
    this.delete(person);
    return profile;
  }
}

export class ProfileStore {
  /** The date of properties that have none. */
  readonly #undated: () => number;
  #changed = new HeldProfiles();
  /** Profiles being stored; a further change goes to a copy. */
  #frozen = new HeldProfiles();
  /** Read for requests under way, and not changed yet. */
  #known = new HeldProfiles();

  /** @param undated When the shard began to keep dates of changes, milliseconds since the epoch; -Infinity: it always has. */
  constructor(undated: () => number) {
    this.#undated = undated;
  }

  /** Profiles that changed since the last `freeze`. */
  get changed(): number {
    return this.#changed.size;
  }

  /** Bytes that the next seal stores, or will when requests under way are on disk. */
  get bytes(): number {
    return this.#changed.bytes + this.#known.bytes;
  }

  /** Bytes that all of them take, about. */
  get memory(): number {
    return this.#changed.memory + this.#frozen.memory + this.#known.memory;
  }

  /** Drops what was read for requests that are over. */
  forgetKnown(): void {
    if (this.#known.size > 0) this.#known = new HeldProfiles();
  }

  /** Sets aside what a seal stores. Returns the number of profiles. */
  freeze(): number {
    this.#frozen = this.#changed;
    this.#changed = new HeldProfiles();
    this.forgetKnown();
    return this.#frozen.size;
  }

  /**
   * Applies changes to the profile of a person. `connection`: null if nothing is stored. `seen`: the time of an identify, null
   * for an event's user_properties. Returns the properties that were ignored, and by how many bytes of memory the changed profiles
   * have grown.
   */
  apply(
    connection: (() => Connection) | null,
    person: number,
    change: NormalIdentify,
    seen: number | null,
  ): { readonly ignored: readonly string[]; readonly grown: number } {
    const before = this.#changed.memory;
    const profile = this.#get(connection, person);
    this.#changed.count(profile, -1);
    const ignored = profile.properties.apply(change);
    this.#changed.count(profile, 1);
    if (seen !== null) {
      profile.firstSeen = Math.min(profile.firstSeen ?? Infinity, seen);
      profile.lastSeen = Math.max(profile.lastSeen ?? -Infinity, seen);
    }
    return { ignored, grown: Math.max(0, this.#changed.memory - before) };
  }

  put(person: number, profile: StoredProfile): void {
    this.#changed.add(person, this.#held(profile));
  }

  /** The frozen profiles in their stored form. */
  rows(): ProfileRow[] {
    return [...this.#frozen].map(([person, { firstSeen, lastSeen, properties }]) => {
      return { person, firstSeen, lastSeen, properties: JSON.stringify(properties), dates: properties.dates() };
    });
  }

  /** Call it once the frozen profiles are stored. */
  saved(): void {
    this.#frozen = new HeldProfiles();
  }

  /** Reads a person's profile into memory for `apply`; returns whether it had to be read. Throws AppError if it is damaged. */
  read(connection: (() => Connection) | null, person: number): boolean {
    if (this.#changed.has(person) || this.#frozen.has(person) || this.#known.has(person)) return false;
    this.#known.add(person, this.#stored(connection, person));
    return connection !== null;
  }

  /** Bytes of a profile in memory; 0 if it is not there. */
  bytesOf(person: number): number {
    return (
      (this.#changed.get(person) ?? this.#frozen.get(person) ?? this.#known.get(person))?.properties.storedBytes ?? 0
    );
  }

  /** Property names of the most recently changed profiles, about `most` with repetitions. */
  keys(most: number): Set<string> {
    const keys = new Set<string>();
    let read = 0;
    for (const { properties } of [...this.#frozen.values(), ...this.#changed.values()].reverse()) {
      if (read >= most) break;
      for (const key of properties.keys()) keys.add(key);
      read += properties.size;
    }
    return keys;
  }

  #get(connection: (() => Connection) | null, person: number): HeldProfile {
    let profile = this.#changed.get(person);
    if (!profile) {
      const frozen = this.#frozen.get(person);
      profile = frozen
        ? this.#held({ ...frozen, properties: frozen.properties.toJSON(), dates: frozen.properties.dates() })
        : (this.#known.take(person) ?? this.#stored(connection, person));
      this.#changed.add(person, profile);
    }
    return profile;
  }

  /** The profile of a person in the file; `connection`: null if there is none. Throws AppError if it is damaged. */
  #stored(connection: (() => Connection) | null, person: number): HeldProfile {
    return this.#held(
      connection === null
        ? { firstSeen: null, lastSeen: null, properties: {}, dates: '' }
        : guarded('profiles', () => readProfile(connection(), person)),
    );
  }

  #held({ firstSeen, lastSeen, properties, dates }: StoredProfile): HeldProfile {
    return { firstSeen, lastSeen, properties: new HeldProperties(properties, dates, this.#undated()) };
  }
}

const memoryOf = (bytes: number, size: number): number => PROFILE_MEMORY + bytes + size * MEMBER_MEMORY;
