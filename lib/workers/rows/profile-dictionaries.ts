/** Fields of profiles by person. The list of all people is made when somebody asks for more than properties. */
import type { Dictionary, Profile } from '../../shards/shard-reader.ts';
import { threshold } from '../../base/threshold.ts';
import { propertyOf, type CodedField, type CodedProfiles } from './coded-profiles.ts';
import {
  dictionaryOf,
  codedColumn,
  GrowingDictionary,
  timesAt,
  type ValueDictionary,
  type FieldColumn,
} from './field-column.ts';
import type { PeopleList } from './people-list.ts';
import { ProfileRows, type ProfileFieldRef } from './profile-rows.ts';

/** Persons whose properties are read alone; of more, those of all people are, and kept. */
const FEW = threshold('profiles read alone', 256);

/** Where profiles come from: each is called when somebody asks for what it has. */
export interface ProfileSource {
  list(coded: CodedProfiles): PeopleList;
  coded(): CodedProfiles;
  /** What is read of these persons' properties. */
  some(persons: Uint32Array, read: (properties: Profile['properties']) => unknown): readonly unknown[];
}

export class ProfileDictionaries {
  readonly #source: ProfileSource;
  readonly #ids: Dictionary;
  /** As long as a question runs, too. */
  #coded: CodedProfiles | null = null;
  /** As long as a question runs, though there may be no room to keep it for the next one. */
  #people: PeopleList | null = null;

  constructor(source: ProfileSource, ids: Dictionary) {
    this.#source = source;
    this.#ids = ids;
  }

  get profiles(): readonly Profile[] {
    return this.#all.profiles;
  }

  get #all(): PeopleList {
    return (this.#people ??= this.#source.list(this.#allCoded));
  }

  /** The ids of persons, by their codes, whether or not they have a profile. */
  get ids(): ValueDictionary {
    return dictionaryOf(this.#ids);
  }

  rows(): ProfileRows {
    return new ProfileRows(this.#all.inOrder, this);
  }

  /** The field of these persons' profiles, one row each; 0 is nobody. */
  column(field: ProfileFieldRef, persons: Uint32Array): FieldColumn {
    if (field.kind === 'profile') return byPerson(this.#allCoded.field(field), persons);
    switch (field.name) {
      case 'first_seen':
      case 'last_seen':
        return timesAt(this.#all.times(field.name), persons);
      case 'user_id':
        return byPerson({ codes: this.#all.own, dictionary: this.ids }, persons);
      default:
        return byPerson(this.#allCoded.field(field), persons);
    }
  }

  /** As `column`, for the property with exactly this key, dots included. */
  keyColumn(key: string, persons: Uint32Array): FieldColumn {
    return byPerson(this.#allCoded.key(key), persons);
  }

  get #allCoded(): CodedProfiles {
    return (this.#coded ??= this.#source.coded());
  }

  /** As `column`, for the persons of a page: without reading the properties of all, if they are few. */
  columnOfPage(field: ProfileFieldRef, persons: Uint32Array): FieldColumn {
    if (this.#coded !== null || persons.length > FEW.value) return this.column(field, persons);
    const dictionary = new GrowingDictionary();
    const values = this.#source.some(persons, propertyOf(field));
    return codedColumn(
      Uint32Array.from(values, (value) => dictionary.codeOf(value)),
      dictionary,
    );
  }
}

/** The codes of these persons' profiles, one row each. */
function byPerson({ codes, dictionary }: CodedField, persons: Uint32Array): FieldColumn {
  const rows = new Uint32Array(persons.length);
  for (let row = 0; row < rows.length; row++) rows[row] = codes[persons[row]!] ?? 0;
  return codedColumn(rows, dictionary);
}
