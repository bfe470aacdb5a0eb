/** Profiles as rows, ordered by when they were last seen: the time that buckets of `users` are based on. */
import type { Field } from '../../dsl/plan/plan.ts';
import type { Profile } from '../../shards/shard-reader.ts';
import { arithmeticColumn } from './arithmetic-column.ts';
import type { FieldColumn } from './field-column.ts';
import { lowerBound } from '../../base/lower-bound.ts';
import type { PeopleList } from './people-list.ts';
import type { RowSet } from './row-set.ts';

export type ProfileFieldRef = Field & { readonly kind: 'profile' | 'account' };

/** The columns of profiles. */
interface Columns {
  column(field: ProfileFieldRef, persons: Uint32Array): FieldColumn | null;
}

export class ProfileRows implements RowSet {
  readonly #people: PeopleList['inOrder'];
  readonly #columns: Columns;

  constructor(people: PeopleList['inOrder'], columns: Columns) {
    this.#people = people;
    this.#columns = columns;
  }

  get profiles(): readonly Profile[] {
    return this.#people.profiles;
  }
  get rows(): number {
    return this.#people.profiles.length;
  }
  persons(): Uint32Array {
    return this.#people.persons;
  }
  rowAt(time: number): number {
    return lowerBound(this.#people.lastSeen, time);
  }
  field(field: Field): FieldColumn | null {
    if (field.kind === 'arithmetic') return arithmeticColumn(field, this, { checkpoint: () => undefined }); // profiles are few
    if (field.kind !== 'profile' && field.kind !== 'account') throw new Error(`a profile has no ${field.kind} fields`);
    return this.#columns.column(field, this.#people.persons);
  }
}
