/** The parsed body of an identify as sent → the changes it makes. */
import { isRecord } from '../../../base/is-record.ts';
import type { NormalIdentify } from '../../event.ts';
import type { EventContext } from './context.ts';
import type { Invalid } from './event.ts';
import { parseId } from './id.ts';
import { MAX_PROFILE_PROPERTIES } from './limits.ts';
import { isBlank } from './text.ts';
import { type Trimmed, profileProperties, storedKey } from './value.ts';

/** A number as text: digits with an optional sign, point and exponent; no blanks, hex or Infinity. */
const SPELT_NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The changes that `value` requests, or why it is invalid: no object, no `user_id`, or an id of a wrong type or too long. */
export function normaliseIdentify(
  value: unknown,
  { blankIsText }: Pick<EventContext, 'blankIsText'>,
): NormalIdentify | Invalid {
  if (!isRecord(value)) return { error: 'an identify must be an object' };
  const sent: SentIdentify = value;
  const trimmed: Trimmed = { count: 0 };
  const reading = { trimmed, blankIsText };
  const user = parseId('user_id', sent.user_id, reading);
  if ('error' in user) return user;
  if (user.id === null) return { error: whyNoUser(sent.user_id) };
  const device = parseId('device_id', sent.device_id, reading);
  if ('error' in device) return device;

  const ops: SentOperations = isRecord(sent.user_property_ops) ? sent.user_property_ops : {};
  if (sent.user_property_ops !== undefined && ops !== sent.user_property_ops) trimmed.count++;
  const sums = amounts(ops.$add, trimmed);
  return {
    userId: user.id,
    deviceId: device.id,
    set: [...profileProperties(sent.user_properties, trimmed), ...profileProperties(ops.$set, trimmed)],
    setOnce: profileProperties(ops.$set_once, trimmed),
    add: sums.add,
    unset: names(ops.$unset, trimmed),
    ignored: sums.ignored,
    valuesTrimmed: trimmed.count,
    idsIgnored: device.ignored ? 1 : 0,
  };
}

function whyNoUser(given: unknown): string {
  if (typeof given !== 'string' || given === '') return 'user_id is missing';
  return isBlank(given) ? 'user_id is blank' : `user_id is "${given}", which stands for no id`;
}

/** The number that a value is or spells; null if none. */
export function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && SPELT_NUMBER.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number + 0 : null; // + 0: -0 becomes 0
}

interface SentIdentify {
  readonly user_id?: unknown;
  readonly device_id?: unknown;
  readonly user_properties?: unknown;
  readonly user_property_ops?: unknown;
}

interface SentOperations {
  readonly $set?: unknown;
  readonly $set_once?: unknown;
  readonly $add?: unknown;
  readonly $unset?: unknown;
}

function amounts(value: unknown, trimmed: Trimmed): { add: [string, number][]; ignored: string[] } {
  const add: [string, number][] = [];
  const ignored: string[] = [];
  for (const [key, given] of profileProperties(value, trimmed)) {
    const amount = numberOf(given);
    if (amount === null) ignored.push(key);
    else add.push([key, amount]);
  }
  return { add, ignored };
}

function names(value: unknown, trimmed: Trimmed): string[] {
  if (value === undefined || value === null) return [];
  const given: unknown[] = Array.isArray(value) ? value : [value];
  const texts = given.filter((name) => typeof name === 'string').slice(0, MAX_PROFILE_PROPERTIES);
  trimmed.count += given.length - texts.length;
  return texts.map((name) => storedKey(name, trimmed));
}
