/** How an identify changes a profile. */
import { normaliseId, normaliseProperties } from './normalise.ts';
import { isMissing, numberOf } from './value.ts';
import { isObject } from './world.ts';

export interface Changes {
  readonly set: readonly (readonly [string, unknown])[];
  readonly setOnce: readonly (readonly [string, unknown])[];
  readonly add: readonly (readonly [string, unknown])[];
  readonly unset: readonly string[];
}

export interface Identify {
  readonly userId: string;
  readonly deviceId: string | null;
  readonly changes: Changes;
}

/** null: the body is rejected and has no effect. */
export function readIdentify(raw: unknown): Identify | null {
  if (!isObject(raw)) return null;
  const userId = normaliseId(raw['user_id']);
  const deviceId = normaliseId(raw['device_id']);
  if (userId === null || userId === undefined || deviceId === undefined) return null;
  const ops = isObject(raw['user_property_ops']) ? raw['user_property_ops'] : {};
  const unset = ops['$unset'];
  return {
    userId,
    deviceId,
    changes: {
      set: [...entries(raw['user_properties']), ...entries(ops['$set'])],
      setOnce: entries(ops['$set_once']),
      add: entries(ops['$add']),
      unset: Array.isArray(unset) ? unset.filter((key) => typeof key === 'string') : [],
    },
  };
}

function entries(raw: unknown): [string, unknown][] {
  return Object.entries(normaliseProperties(raw));
}

export function applyIdentify(properties: Map<string, unknown>, changes: Changes): void {
  for (const [key, value] of changes.set) properties.set(key, trimmed(key, value));
  for (const [key, value] of changes.setOnce) {
    if (isMissing(properties.get(key))) properties.set(key, trimmed(key, value));
  }
  for (const [key, given] of changes.add) {
    const [before, amount] = [numberOf(properties.get(key) ?? 0), numberOf(given)];
    if (before !== null && amount !== null) properties.set(key, before + amount);
  }
  for (const key of changes.unset) properties.delete(key);
}

function trimmed(key: string, value: unknown): unknown {
  return key === 'email' && typeof value === 'string' ? value.trim() : value;
}

/** The part after the last @ of an e-mail address, in lower case. */
export function emailDomain(email: unknown): string | null {
  if (typeof email !== 'string' || !email.includes('@')) return null;
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase() || null;
}
