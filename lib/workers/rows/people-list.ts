/** All who have a profile, and what is made of them once somebody asks for it. */
import { kept } from '../../base/kept.ts';
import type { Profile } from '../../shards/shard-reader.ts';

/** Profiles in some order, with their persons, and when they were last seen. */
interface InOrder {
  readonly profiles: readonly Profile[];
  readonly persons: Uint32Array;
  readonly lastSeen: Float64Array;
}

export class PeopleList {
  readonly profiles: readonly Profile[];
  readonly #times = new Map<string, Float64Array>();
  #inOrder: InOrder | null = null;
  #own: Uint32Array | null = null;

  /** @param profiles Ascending by person. */
  constructor(profiles: readonly Profile[]) {
    this.profiles = profiles;
  }

  /** By the time when they were last seen. */
  get inOrder(): InOrder {
    if (this.#inOrder !== null) return this.#inOrder;
    const profiles = this.profiles.toSorted((a, b) => a.lastSeen - b.lastSeen);
    const persons = Uint32Array.from(profiles, ({ person }) => person);
    return (this.#inOrder = { profiles, persons, lastSeen: Float64Array.from(profiles, ({ lastSeen }) => lastSeen) });
  }

  /** By person: itself, 0 for who has no profile. */
  get own(): Uint32Array {
    if (this.#own !== null) return this.#own;
    const own = new Uint32Array(this.#size);
    for (const { person } of this.profiles) own[person] = person;
    return (this.#own = own);
  }

  /** By person: milliseconds since the epoch, NaN for who has no profile. */
  times(name: 'first_seen' | 'last_seen'): Float64Array {
    return kept(this.#times, name, () => {
      const times = new Float64Array(this.#size).fill(NaN);
      for (const { person, firstSeen, lastSeen } of this.profiles)
        times[person] = name === 'first_seen' ? firstSeen : lastSeen;
      return times;
    });
  }

  /** Persons are below this. */
  get #size(): number {
    return (this.profiles.at(-1)?.person ?? 0) + 1;
  }
}
