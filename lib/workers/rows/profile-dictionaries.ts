/** Fields of profiles by person. The list of all people is made when somebody asks for more than properties. */
import type { Dictionary, Profile } from '../../shards/shard-reader.ts';
import type { CodedField, CodedProfiles } from './coded-profiles.ts';
import { dictionaryOf, codedColumn, timesAt, type ValueDictionary, type FieldColumn } from './field-column.ts';
import type { PeopleList } from './people-list.ts';
import { ProfileRows, type ProfileFieldRef } from './profile-rows.ts';

export class ProfileDictionaries {
  readonly #list: () => PeopleList;
  readonly #coded: CodedProfiles;
  readonly #ids: Dictionary;
  /** As long as a question runs, though there may be no room to keep it for the next one. */
  #people: PeopleList | null = null;

  constructor(list: () => PeopleList, coded: CodedProfiles, ids: Dictionary) {
    this.#list = list;
    this.#coded = coded;
    this.#ids = ids;
  }

  get profiles(): readonly Profile[] {
    return this.#all.profiles;
  }

  get #all(): PeopleList {
    return (this.#people ??= this.#list());
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
    if (field.kind === 'profile') return byPerson(this.#coded.field(field), persons);
    switch (field.name) {
      case 'first_seen':
      case 'last_seen':
        return timesAt(this.#all.times(field.name), persons);
      case 'user_id':
        return byPerson({ codes: this.#all.own, dictionary: this.ids }, persons);
      default:
        return byPerson(this.#coded.field(field), persons);
    }
  }

  /** As `column`, for the property with exactly this key, dots included. */
  keyColumn(key: string, persons: Uint32Array): FieldColumn {
    return byPerson(this.#coded.key(key), persons);
  }
}

/** The codes of these persons' profiles, one row each. */
function byPerson({ codes, dictionary }: CodedField, persons: Uint32Array): FieldColumn {
  const rows = new Uint32Array(persons.length);
  for (let row = 0; row < rows.length; row++) rows[row] = codes[persons[row]!] ?? 0;
  return codedColumn(rows, dictionary);
}
