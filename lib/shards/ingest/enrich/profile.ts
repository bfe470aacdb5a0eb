/** Applies changes to the properties of a profile. */
import type { NormalIdentify } from '../../event.ts';
import { JsonText, withJsonTexts } from './json-text.ts';
import { numberOf } from '../normalise/identify.ts';
import { MAX_PROFILE_BYTES, MAX_PROFILE_PROPERTIES } from '../normalise/limits.ts';
import { AppError } from '../../../base/errors.ts';

export type ProfileProperties = Readonly<Record<string, unknown>>;

/** The properties of a profile in memory: a change takes as long as what it changes, however many there are. */
export class HeldProperties {
  readonly #members: Map<string, unknown>; // in which `__proto__` is an ordinary key
  #bytes = 0;

  constructor(properties: ProfileProperties) {
    this.#members = new Map(Object.entries(withJsonTexts(properties)));
    for (const [key, value] of this.#members) this.#bytes += bytesOf(key, value);
  }

  /** Bytes of keys, of texts, and of other values as JSON. */
  get bytes(): number {
    return this.#bytes;
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

  /**
   * Applies a change in this order: user_properties and $set, $set_once, $add (a missing property counts as 0), $unset. `email` is
   * trimmed, and `email_domain` follows from it: the text after its last `@`, in lower case. A property set to null is kept;
   * `$set_once` treats it as not set yet. Nothing but the profile and the change decides what has room, so that reading the
   * journal again gives the same. Returns the properties that were not changed: a value or an amount of $add that is not a
   * number, or no room for it in the profile.
   */
  apply(change: NormalIdentify): string[] {
    const hadEmail = typeof this.#members.get('email') === 'string';
    const ignored = [...change.ignored];
    const put = (key: string, value: unknown): void => {
      if (!this.#put(key, value)) ignored.push(key);
    };
    for (const [key, value] of change.set) put(key, trimmed(key, value));
    for (const [key, value] of change.setOnce)
      if ((this.#members.get(key) ?? null) === null) put(key, trimmed(key, value));
    for (const [key, amount] of change.add) {
      const sum = sumOf(this.#members.get(key), amount);
      if (sum === null) ignored.push(key);
      else put(key, sum);
    }
    for (const key of change.unset) this.#delete(key);
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

function trimmed(key: string, value: unknown): unknown {
  return key === 'email' && typeof value === 'string' ? value.trim() : value;
}

/** Null if the value is not a number, or the sum is too large to be one. */
function sumOf(value: unknown, amount: number): number | null {
  const before = numberOf(value ?? 0);
  return before === null ? null : numberOf(before + amount);
}

/** Most bytes of the profiles that one request may change: all of them are in memory until they are stored. One may be larger. */
export const MOST_PROFILES = 16 << 20;

export const tooManyProfiles = (): AppError =>
  new AppError(
    'payload_too_large',
    `The users in the request have profiles of more than ${MOST_PROFILES >> 20} MiB together. Send fewer users at a time.`,
  );
