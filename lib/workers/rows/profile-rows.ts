/** Profiles as rows, ordered by when they were last seen: the time that buckets of `users` are based on. */
import type { Field } from '../../dsl/plan/plan.ts';
import type { Profile } from '../../shards/shard-reader.ts';
import { arithmeticColumn } from './arithmetic-column.ts';
import type { FieldColumn } from './field-column.ts';
import { lowerBound } from '../../base/lower-bound.ts';
import type { RowSet } from './row-set.ts';

export type ProfileFieldRef = Field & { readonly kind: 'profile' | 'account' };

/** The columns of profiles. */
interface Profiles {
  readonly profiles: readonly Profile[];
  column(field: ProfileFieldRef, persons: Uint32Array): FieldColumn | null;
}

export class ProfileRows implements RowSet {
  readonly profiles: readonly Profile[];
  readonly #dictionaries: Profiles;
  readonly #persons: Uint32Array;
  readonly #times: Float64Array;

  constructor(dictionaries: Profiles) {
    this.#dictionaries = dictionaries;
    this.profiles = dictionaries.profiles.toSorted((a, b) => a.lastSeen - b.lastSeen);
    this.#persons = Uint32Array.from(this.profiles, ({ person }) => person);
    this.#times = Float64Array.from(this.profiles, ({ lastSeen }) => lastSeen);
  }

  get rows(): number {
    return this.profiles.length;
  }
  persons(): Uint32Array {
    return this.#persons;
  }
  rowAt(time: number): number {
    return lowerBound(this.#times, time);
  }
  field(field: Field): FieldColumn | null {
    if (field.kind === 'arithmetic') return arithmeticColumn(field, this, () => undefined); // profiles are few
    if (field.kind !== 'profile' && field.kind !== 'account') throw new Error(`a profile has no ${field.kind} fields`);
    return this.#dictionaries.column(field, this.#persons);
  }
}
