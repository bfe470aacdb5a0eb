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
  /** When it is said to have been; not given: when the request arrived. */
  readonly time: unknown;
  readonly changes: Changes;
}

/** null: the body is rejected and has no effect. */
export function readIdentify(raw: unknown): Identify | null {
  if (!isObject(raw)) return null;
  const userId = normaliseId(raw['user_id'], 'user_id');
  const deviceId = normaliseId(raw['device_id'], 'device_id');
  if (userId === null || userId === undefined || deviceId === undefined) return null;
  const ops = isObject(raw['user_property_ops']) ? raw['user_property_ops'] : {};
  const unset = ops['$unset'];
  return {
    userId,
    deviceId,
    time: raw['time'],
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

/** Properties with the date of the last change of each, also of those that were unset. */
export interface DatedProperties {
  readonly properties: Map<string, unknown>;
  readonly dates: Map<string, number>;
}

export function applyIdentify({ properties, dates }: DatedProperties, changes: Changes, at: number): void {
  const last = (key: string): number => dates.get(key) ?? -Infinity;
  const put = (key: string, value: unknown): void => {
    properties.set(key, trimmed(key, value));
    dates.set(key, Math.max(at, last(key)));
  };
  for (const [key, value] of changes.set) if (at >= last(key)) put(key, value);
  for (const [key, value] of changes.setOnce) if (isMissing(properties.get(key))) put(key, value);
  for (const [key, given] of changes.add) {
    const [before, amount] = [numberOf(properties.get(key) ?? 0), numberOf(given)];
    if (before !== null && amount !== null) put(key, before + amount);
  }
  for (const key of changes.unset) {
    if (at < last(key)) continue;
    properties.delete(key);
    dates.set(key, at);
  }
}

function trimmed(key: string, value: unknown): unknown {
  return key === 'email' && typeof value === 'string' ? value.trim() : value;
}

/** The part after the last @ of an e-mail address, in lower case. */
export function emailDomain(email: unknown): string | null {
  if (typeof email !== 'string' || !email.includes('@')) return null;
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase() || null;
}
