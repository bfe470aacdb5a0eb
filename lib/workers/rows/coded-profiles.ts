/** Properties of profiles by person: each is read from all profiles once, and kept until a profile changes. */
import { kept } from '../../base/kept.ts';
import { unreachable } from '../../base/unreachable.ts';
import { MOST_CACHED } from '../../shards/segment/column-cache.ts';
import type { StoredProfiles } from '../../shards/read/stored-profiles.ts';
import type { Profile } from '../../shards/shard-reader.ts';
import { GrowingDictionary, type ValueDictionary } from './field-column.ts';
import { valueAt } from './json-path.ts';
import type { ProfileFieldRef } from './profile-rows.ts';

/** Fields kept at once; all but the newest have MOST_CACHED bytes at most: 4 per person, and their texts. */
const MAX_FIELDS = 32;

/** Person → code, 0 without a value. */
export interface CodedField {
  readonly codes: Uint32Array;
  readonly dictionary: ValueDictionary;
}

/** A field, and about how many bytes codes and made texts take. */
interface KeptField extends CodedField {
  readonly bytes: number;
}

export class CodedProfiles {
  readonly stored: StoredProfiles;
  readonly #fields = new Map<string, KeptField>();

  constructor(stored: StoredProfiles) {
    this.stored = stored;
  }

  field(field: ProfileFieldRef): CodedField {
    const name = field.kind === 'profile' ? `user.${field.path}` : field.name;
    return this.#kept(name, propertyOf(field));
  }

  /** The property with exactly this key, dots included. */
  key(key: string): CodedField {
    return this.#kept(`key ${key}`, (properties) => (Object.hasOwn(properties, key) ? properties[key] : undefined));
  }

  #kept(name: string, read: (properties: Profile['properties']) => unknown): CodedField {
    return kept(this.#fields, name, () => {
      const made = this.#read(read);
      forgetOldest(this.#fields);
      return made;
    });
  }

  #read(read: (properties: Profile['properties']) => unknown): KeptField {
    const { persons, properties } = this.stored;
    const codes = new Uint32Array((persons.at(-1) ?? 0) + 1);
    const dictionary = new GrowingDictionary();
    for (const [at, person] of persons.entries()) codes[person] = dictionary.codeOf(read(properties[at]!));
    return { codes, dictionary, bytes: codes.byteLength + dictionary.bytes };
  }
}

/** What follows the last @ of an e-mail address, in lower case; undefined if nothing does. */
export function emailDomain(email: unknown): string | undefined {
  if (typeof email !== 'string' || !email.includes('@')) return undefined;
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  return domain === '' ? undefined : domain;
}

/** Reads the value of a field from properties; undefined if they have none. */
export function propertyOf(field: ProfileFieldRef): (properties: Profile['properties']) => unknown {
  if (field.kind === 'profile') return (properties) => valueAt(properties, field.path);
  const { name } = field;
  switch (name) {
    case 'email':
      return (properties) => valueAt(properties, 'email');
    case 'email_domain':
      return (properties) => emailDomain(valueAt(properties, 'email'));
    case 'user_id':
    case 'first_seen':
    case 'last_seen':
      throw new Error(`${name} is no property of a profile`);
    default:
      return unreachable(name);
  }
}

function forgetOldest(fields: Map<string, KeptField>): void {
  let bytes = [...fields.values()].reduce((sum, field) => sum + field.bytes, 0);
  for (const [name, field] of fields) {
    if (fields.size < MAX_FIELDS && bytes <= MOST_CACHED) return;
    fields.delete(name);
    bytes -= field.bytes;
  }
}
