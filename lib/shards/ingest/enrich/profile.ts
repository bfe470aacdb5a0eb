/** Applies changes to the properties of a profile. */
import type { NormalIdentify } from '../../event.ts';
import { numberOf } from '../normalise/identify.ts';
import { MAX_PROFILE_PROPERTIES } from '../normalise/limits.ts';

export type ProfileProperties = Readonly<Record<string, unknown>>;

export interface ChangedProfile {
  readonly properties: ProfileProperties;
  /** Properties that were not changed: a value or an amount of $add that is not a number, or no room for another property. */
  readonly ignored: readonly string[];
}

/**
 * The properties after a change, applied in this order: user_properties and $set, $set_once, $add (a missing property counts as
 * 0), $unset. `email` is trimmed, and `email_domain` follows from it: the text after its last `@`, in lower case. A property set
 * to null is kept; `$set_once` treats it as not set yet.
 */
export function applyChanges(properties: ProfileProperties, change: NormalIdentify): ChangedProfile {
  const profile = new Map(Object.entries(properties)); // `__proto__` is an ordinary key in a map
  const hadEmail = typeof profile.get('email') === 'string';
  const ignored = [...change.ignored];
  const put = (key: string, value: unknown): void => {
    if (profile.has(key) || profile.size < MAX_PROFILE_PROPERTIES) profile.set(key, value);
    else ignored.push(key);
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
  return { properties: Object.fromEntries(profile), ignored };
}

function trimmed(key: string, value: unknown): unknown {
  return key === 'email' && typeof value === 'string' ? value.trim() : value;
}

/** Null if the value is not a number, or the sum is too large to be one. */
function sumOf(value: unknown, amount: number): number | null {
  const before = numberOf(value ?? 0);
  return before === null ? null : numberOf(before + amount);
}

function followEmail(profile: Map<string, unknown>, hadEmail: boolean): void {
  const email = profile.get('email');
  if (typeof email === 'string') {
    const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
    if (email.includes('@') && domain !== '') profile.set('email_domain', domain);
    else profile.delete('email_domain');
  } else if (hadEmail) {
    profile.delete('email_domain');
  }
}
