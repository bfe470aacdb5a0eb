/** Applies changes to the properties of a profile. */
import type { NormalIdentify, PropertyValue } from '../../event.ts';
import { ChangeDates } from './change-dates.ts';
import { spelledNumber } from '../normalise/identify.ts';
import { valueOf } from '../normalise/value.ts';
import { MAX_PROFILE_BYTES, MAX_PROFILE_PROPERTIES } from '../normalise/limits.ts';
import { AppError } from '../../../base/errors.ts';
import { readJson } from '../../../base/text/read-json.ts';

export type ProfileProperties = Readonly<Record<string, unknown>>;

/** The properties of a profile in memory: a change takes as long as what it changes, however many there are. */
export class HeldProperties {
  readonly #members: Map<string, unknown>; // in which `__proto__` is an ordinary key
  readonly #dates: ChangeDates;
  #bytes = 0;

  /** @param dates As `dates` gave them. @param undated The date of properties without one, milliseconds since the epoch. */
  constructor(properties: ProfileProperties, dates = '', undated = -Infinity) {
    this.#members = new Map(Object.entries(withJsonTexts(properties)));
    this.#dates = new ChangeDates(Object.keys(properties), dates, undated);
    for (const [key, value] of this.#members) this.#bytes += bytesOf(key, value);
  }

  /** Bytes of keys, of texts, and of other values as JSON. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The same with what is kept of properties that were unset. */
  get storedBytes(): number {
    return this.#bytes + this.#dates.bytes;
  }

  get size(): number {
    return this.#members.size;
  }

  keys(): Iterable<string> {
    return this.#members.keys();
  }

  toJSON(): ProfileProperties {
    return Object.fromEntries(this.#members);
  }

  /** When they were changed, as it is stored. */
  dates(): string {
    return this.#dates.text(Object.keys(this.toJSON()));
  }

  /**
   * Applies a change in this order: user_properties and $set, $set_once, $add (a missing property counts as 0), $unset. The first
   * two and the last leave alone what was changed at a later date. `email` is trimmed, and `email_domain` follows from it: the text after its last `@`, in lower case. A property set to null is kept;
   * `$set_once` treats it as not set yet. Nothing but the profile and the change decides what has room, so that reading the
   * journal again gives the same. Returns the properties that were not changed: a value or an amount of $add that is not a
   * number, or no room for it in the profile.
   */
  apply(change: NormalIdentify): string[] {
    const hadEmail = typeof this.#members.get('email') === 'string';
    const ignored = [...change.ignored];
    const put = (key: string, value: unknown): void => {
      const wasSet = this.#members.has(key);
      if (this.#put(key, value)) this.#dates.set(key, wasSet, change.at);
      else ignored.push(key);
    };
    const { at } = change;
    const mayChange = (key: string): boolean => this.#dates.allows(key, this.#members.has(key), at);
    for (const [key, value] of change.set) if (mayChange(key)) put(key, profileValue(key, value));
    for (const [key, value] of change.setOnce)
      if ((this.#members.get(key) ?? null) === null) put(key, profileValue(key, value));
    for (const [key, amount] of change.add) {
      const sum = sumOf(this.#members.get(key), amount);
      if (sum === null) ignored.push(key);
      else put(key, sum);
    }
    for (const key of change.unset) {
      if (!mayChange(key)) continue;
      this.#delete(key);
      this.#dates.unset(key, at);
    }
    this.#followEmail(hadEmail);
    return ignored;
  }

  /** False if there is no room. */
  #put(key: string, value: unknown): boolean {
    const isKnown = this.#members.has(key);
    const growth = bytesOf(key, value) - (isKnown ? bytesOf(key, this.#members.get(key)) : 0);
    const hasRoom = isKnown || this.#members.size < MAX_PROFILE_PROPERTIES;
    if (!hasRoom || (growth > 0 && this.#bytes + growth > MAX_PROFILE_BYTES)) return false;
    this.#members.set(key, value);
    this.#bytes += growth;
    return true;
  }

  #delete(key: string): void {
    if (!this.#members.has(key)) return;
    this.#bytes -= bytesOf(key, this.#members.get(key));
    this.#members.delete(key);
  }

  #followEmail(hadEmail: boolean): void {
    const email = this.#members.get('email');
    if (typeof email === 'string') {
      const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
      const isDomain = email.includes('@') && domain !== '';
      if (!isDomain || !this.#put('email_domain', domain)) this.#delete('email_domain');
    } else if (hadEmail) {
      this.#delete('email_domain');
    }
  }
}

const bytesOf = (key: string, value: unknown): number => Buffer.byteLength(key) + Buffer.byteLength(textOf(value));

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value instanceof JsonText ? value.text : JSON.stringify(value);
}

/** A value as profiles keep it: a JSON value, or a `JsonText`. */
function profileValue(key: string, stored: PropertyValue): unknown {
  if (typeof stored !== 'number' && (stored.type === 'object' || stored.type === 'array'))
    return new JsonText(stored.text);
  const value = valueOf(stored);
  return key === 'email' && typeof value === 'string' ? value.trim() : value;
}

/** Null if the value is not a number, or the sum is too large to be one. */
function sumOf(value: unknown, amount: number): number | null {
  const before = spelledNumber(value ?? 0);
  return before === null ? null : spelledNumber(before + amount);
}

/** Most bytes of the profiles that one request may change: all of them are in memory until they are stored. One may be larger. */
export const MOST_PROFILES = 16 << 20;

export const tooManyProfiles = (): AppError =>
  new AppError(
    'payload_too_large',
    `The users in the request have profiles of more than ${MOST_PROFILES >> 20} MiB together. Send fewer users at a time.`,
  );

/**
 * An object or array of a profile as its JSON: parsed, 64 KiB of `{}` in an array are more than a megabyte of objects. In a JSON
 * text it stands for what it says.
 */
class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): unknown {
    return readJson(this.text);
  }
}

/** The properties with objects and arrays as their JSON. */
function withJsonTexts(properties: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const isNested = (value: unknown): boolean => typeof value === 'object' && value !== null;
  if (!Object.values(properties).some(isNested)) return properties;
  const members = Object.entries(properties).map(([key, value]): [string, unknown] => [
    key,
    isNested(value) && !(value instanceof JsonText) ? new JsonText(JSON.stringify(value)) : value,
  ]);
  return Object.fromEntries(members); // unlike assignment, this makes `__proto__` an ordinary key
}
