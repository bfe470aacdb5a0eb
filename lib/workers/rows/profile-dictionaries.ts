/** Fields of profiles by person: each is read from all profiles once and kept until the profiles change. */
import { kept } from '../../base/kept.ts';
import type { Dictionary, Profile } from '../../shards/shard-reader.ts';
import { unreachable } from '../../base/unreachable.ts';
import {
  dictionaryOf,
  codedColumn,
  GrowingDictionary,
  timesAt,
  type ValueDictionary,
  type FieldColumn,
} from './field-column.ts';
import { valueAt } from './json-path.ts';
import { ProfileRows, type ProfileFieldRef } from './profile-rows.ts';

/** Fields kept at once, and bytes of all but the newest: a field takes 4 bytes per person, plus its texts. */
const MAX_FIELDS = 32;
const MAX_BYTES = 64 * 1_048_576;

/** Person → code, 0 without a value. */
interface CodedField {
  readonly codes: Uint32Array;
  readonly dictionary: ValueDictionary;
  /** About how many bytes codes and made texts take. */
  readonly bytes: number;
}

export class ProfileDictionaries {
  readonly profiles: readonly Profile[];
  readonly #ids: Dictionary;
  readonly #persons: number; // codes are below this
  readonly #coded = new Map<string, CodedField>();
  readonly #times = new Map<string, Float64Array>();
  #rows: ProfileRows | null = null;

  constructor(profiles: readonly Profile[], ids: Dictionary) {
    this.profiles = profiles;
    this.#ids = ids;
    this.#persons = profiles.reduce((max, { person }) => Math.max(max, person), 0) + 1;
  }

  /** The ids of persons, by their codes, whether or not they have a profile. */
  get ids(): ValueDictionary {
    return dictionaryOf(this.#ids);
  }

  rows(): ProfileRows {
    return (this.#rows ??= new ProfileRows(this));
  }

  /** The field of these persons' profiles, one row each; 0 is nobody. */
  column(field: ProfileFieldRef, persons: Uint32Array): FieldColumn {
    if (field.kind === 'account' && (field.name === 'first_seen' || field.name === 'last_seen')) {
      return timesAt(this.#timesOf(field.name), persons);
    }
    return byPerson(this.#codedOf(field), persons);
  }

  /** As `column`, for the property with exactly this key, dots included. */
  keyColumn(key: string, persons: Uint32Array): FieldColumn {
    const coded = this.#kept(`key ${key}`, () =>
      this.#read(({ properties }) => (Object.hasOwn(properties, key) ? properties[key] : undefined)),
    );
    return byPerson(coded, persons);
  }

  #codedOf(field: ProfileFieldRef): CodedField {
    const name = field.kind === 'profile' ? `user.${field.path}` : field.name;
    const isUserId = field.kind === 'account' && field.name === 'user_id';
    return this.#kept(name, () => (isUserId ? this.#userIds() : this.#read(reader(field))));
  }

  #kept(name: string, make: () => CodedField): CodedField {
    return kept(this.#coded, name, () => {
      const made = make();
      forgetOldest(this.#coded);
      return made;
    });
  }

  #userIds(): CodedField {
    const codes = new Uint32Array(this.#persons);
    for (const { person } of this.profiles) codes[person] = person;
    return { codes, dictionary: this.ids, bytes: codes.byteLength };
  }

  #read(read: (profile: Profile) => unknown): CodedField {
    const codes = new Uint32Array(this.#persons);
    const dictionary = new GrowingDictionary();
    for (const profile of this.profiles) codes[profile.person] = dictionary.codeOf(read(profile));
    return { codes, dictionary, bytes: codes.byteLength + dictionary.bytes };
  }

  #timesOf(name: 'first_seen' | 'last_seen'): Float64Array {
    return kept(this.#times, name, () => {
      const times = new Float64Array(this.#persons).fill(NaN);
      for (const { person, firstSeen, lastSeen } of this.profiles) {
        times[person] = name === 'first_seen' ? firstSeen : lastSeen;
      }
      return times;
    });
  }
}

/** What follows the last @ of an e-mail address, in lower case; undefined if nothing does. */
export function emailDomain(email: unknown): string | undefined {
  if (typeof email !== 'string' || !email.includes('@')) return undefined;
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  return domain === '' ? undefined : domain;
}

function reader(field: ProfileFieldRef): (profile: Profile) => unknown {
  if (field.kind === 'profile') return ({ properties }) => valueAt(properties, field.path);
  const { name } = field;
  switch (name) {
    case 'email':
      return ({ properties }) => valueAt(properties, 'email');
    case 'email_domain':
      return ({ properties }) => emailDomain(valueAt(properties, 'email'));
    case 'user_id':
    case 'first_seen':
    case 'last_seen':
      throw new Error(`${name} is no property of a profile`);
    default:
      return unreachable(name);
  }
}

/** The codes of these persons' profiles, one row each. */
function byPerson({ codes, dictionary }: CodedField, persons: Uint32Array): FieldColumn {
  const rows = new Uint32Array(persons.length);
  for (let row = 0; row < rows.length; row++) rows[row] = codes[persons[row]!] ?? 0;
  return codedColumn(rows, dictionary);
}

function forgetOldest(fields: Map<string, CodedField>): void {
  let bytes = [...fields.values()].reduce((sum, field) => sum + field.bytes, 0);
  for (const [name, field] of fields) {
    if (fields.size < MAX_FIELDS && bytes <= MAX_BYTES) return;
    fields.delete(name);
    bytes -= field.bytes;
  }
}
