/** Applies changes to the properties of a profile. */
import type { NormalIdentify } from '../../event.ts';
import { JsonText } from './json-text.ts';
import { numberOf } from '../normalise/identify.ts';
import { MAX_PROFILE_BYTES, MAX_PROFILE_PROPERTIES } from '../normalise/limits.ts';

export type ProfileProperties = Readonly<Record<string, unknown>>;

export interface ChangedProfile {
  readonly properties: ProfileProperties;
  /** See `profileBytes`. */
  readonly bytes: number;
  /** Number of properties. */
  readonly size: number;
  /** Properties that were not changed: a value or an amount of $add that is not a number, or no room for it in the profile. */
  readonly ignored: readonly string[];
}

/**
 * The properties after a change, applied in this order: user_properties and $set, $set_once, $add (a missing property counts as
 * 0), $unset. `email` is trimmed, and `email_domain` follows from it: the text after its last `@`, in lower case. A property set
 * to null is kept; `$set_once` treats it as not set yet. Nothing but the profile and the change decides what has room, so that
 * reading the journal again gives the same. @param before `profileBytes` of the properties.
 */
export function applyChanges(
  properties: ProfileProperties,
  change: NormalIdentify,
  before = profileBytes(properties),
): ChangedProfile {
  const profile = new SizedProfile(properties, before);
  const hadEmail = typeof profile.get('email') === 'string';
  const ignored = [...change.ignored];
  const put = (key: string, value: unknown): void => {
    if (!profile.put(key, value)) ignored.push(key);
  };
  for (const [key, value] of change.set) put(key, trimmed(key, value));
  for (const [key, value] of change.setOnce) if ((profile.get(key) ?? null) === null) put(key, trimmed(key, value));
  for (const [key, amount] of change.add) {
    const sum = sumOf(profile.get(key), amount);
    if (sum === null) ignored.push(key);
    else put(key, sum);
  }
  for (const key of change.unset) profile.delete(key);
  followEmail(profile, hadEmail);
  return { properties: profile.properties, bytes: profile.bytes, size: profile.size, ignored };
}

/** Bytes of keys, of texts, and of other values as JSON. */
export function profileBytes(properties: ProfileProperties): number {
  let bytes = 0;
  for (const [key, value] of Object.entries(properties)) bytes += bytesOf(key, value);
  return bytes;
}

const bytesOf = (key: string, value: unknown): number => Buffer.byteLength(key) + Buffer.byteLength(textOf(value));

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value instanceof JsonText ? value.text : JSON.stringify(value);
}

class SizedProfile {
  readonly #members: Map<string, unknown>;
  bytes: number;

  constructor(properties: ProfileProperties, bytes: number) {
    this.#members = new Map(Object.entries(properties)); // `__proto__` is an ordinary key in a map
    this.bytes = bytes;
  }

  get properties(): ProfileProperties {
    return Object.fromEntries(this.#members);
  }

  get size(): number {
    return this.#members.size;
  }

  get(key: string): unknown {
    return this.#members.get(key);
  }

  /** False if there is no room. */
  put(key: string, value: unknown): boolean {
    const isKnown = this.#members.has(key);
    const growth = bytesOf(key, value) - (isKnown ? bytesOf(key, this.#members.get(key)) : 0);
    const hasRoom = isKnown || this.#members.size < MAX_PROFILE_PROPERTIES;
    if (!hasRoom || (growth > 0 && this.bytes + growth > MAX_PROFILE_BYTES)) return false;
    this.#members.set(key, value);
    this.bytes += growth;
    return true;
  }

  delete(key: string): void {
    if (!this.#members.has(key)) return;
    this.bytes -= bytesOf(key, this.#members.get(key));
    this.#members.delete(key);
  }
}

function trimmed(key: string, value: unknown): unknown {
  return key === 'email' && typeof value === 'string' ? value.trim() : value;
}

/** Null if the value is not a number, or the sum is too large to be one. */
function sumOf(value: unknown, amount: number): number | null {
  const before = numberOf(value ?? 0);
  return before === null ? null : numberOf(before + amount);
}

function followEmail(profile: SizedProfile, hadEmail: boolean): void {
  const email = profile.get('email');
  if (typeof email === 'string') {
    const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
    const isDomain = email.includes('@') && domain !== '';
    if (!isDomain || !profile.put('email_domain', domain)) profile.delete('email_domain');
  } else if (hadEmail) {
    profile.delete('email_domain');
  }
}
