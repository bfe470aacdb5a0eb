/** The parsed body of an identify as sent → the changes it makes. */
import { isRecord } from '../../../base/is-record.ts';
import type { NormalIdentify } from '../../event.ts';
import { type EventContext, sentTime } from './context.ts';
import type { Invalid } from './event.ts';
import { parseId } from './id.ts';
import { isBlank, MAX_PROFILE_PROPERTIES } from './limits.ts';
import { Remarks } from './remarks.ts';
import { remarkIdentifyFields } from './root-fields.ts';
import { storedKey, storedProperties, valueOf } from './value.ts';

/** A number as text: digits with an optional sign, point and exponent; no blanks, hex or Infinity. */
const SPELT_NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * The changes that `value` requests, or why it is invalid: no object, no `user_id`, or an id of a wrong type or too long. What is not
 * taken as it was sent is in `remarks`, and invalid where the context is strict.
 */
export function normaliseIdentify(
  value: unknown,
  context: EventContext,
  remarks = new Remarks(),
): NormalIdentify | Invalid {
  if (!isRecord(value)) return { error: 'an identify must be an object' };
  const sent: SentIdentify = value;
  const reading = { remarks, ...context };
  const user = parseId('user_id', sent.user_id, reading);
  if ('error' in user) return user;
  if (user.id === null) return { error: whyNoUser(sent.user_id) };
  const device = parseId('device_id', sent.device_id, reading);
  if ('error' in device) return device;

  const time = sentTime(sent.time, context, remarks);
  const at = context.isDated ? time : null;
  const changes = { userId: user.id, deviceId: device.id, at, ...changesOf(sent, remarks) };
  remarkIdentifyFields(sent, remarks);
  return context.strict && remarks.refusal !== null ? { error: remarks.refusal } : changes;
}

function changesOf(sent: SentIdentify, remarks: Remarks): Omit<NormalIdentify, 'userId' | 'deviceId' | 'at'> {
  const ops: SentOperations = isRecord(sent.user_property_ops) ? sent.user_property_ops : {};
  remarks.field = 'user_property_ops';
  if (sent.user_property_ops !== undefined && ops !== sent.user_property_ops)
    remarks.dropped('must be an object', sent.user_property_ops);
  for (const name of Object.keys(ops))
    if (!OPERATIONS.includes(name))
      remarks.fieldIgnored(
        `user_property_ops.${name}`,
        () => `there are ${OPERATIONS.join(', ')}`,
        Reflect.get(ops, name),
      );
  const read = (field: string, value: unknown): NormalIdentify['set'] => {
    remarks.field = field;
    return storedProperties(value, remarks, MAX_PROFILE_PROPERTIES);
  };
  const set = [...read('user_properties', sent.user_properties), ...read('user_property_ops.$set', ops.$set)];
  const setOnce = read('user_property_ops.$set_once', ops.$set_once);
  const sums = amounts(read('user_property_ops.$add', ops.$add));
  remarks.field = 'user_property_ops.$unset';
  return { set, setOnce, add: sums.add, unset: names(ops.$unset, remarks), ignored: sums.ignored };
}

const OPERATIONS: readonly string[] = ['$set', '$set_once', '$add', '$unset'];

/** The date of the binding that an identify makes: no time of before 1970, since the log has negative ones for what is undone. */
export const bindingDate = ({ at }: NormalIdentify, receivedAt: number): number => Math.max(0, at ?? receivedAt);

function whyNoUser(given: unknown): string {
  if (typeof given !== 'string' || given === '') return 'user_id is missing';
  return isBlank(given) ? 'user_id is blank' : `user_id is "${given}", which stands for no id`;
}

/** The number that a value is or spells; null if none. */
export function spelledNumber(value: unknown): number | null {
  const number = typeof value === 'string' && SPELT_NUMBER.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number + 0 : null; // + 0: -0 becomes 0
}

interface SentIdentify {
  readonly user_id?: unknown;
  readonly device_id?: unknown;
  readonly time?: unknown;
  readonly user_properties?: unknown;
  readonly user_property_ops?: unknown;
}

interface SentOperations {
  readonly $set?: unknown;
  readonly $set_once?: unknown;
  readonly $add?: unknown;
  readonly $unset?: unknown;
}

function amounts(given: NormalIdentify['set']): { add: [string, number][]; ignored: string[] } {
  const add: [string, number][] = [];
  const ignored: string[] = [];
  for (const [key, value] of given) {
    const amount = spelledNumber(valueOf(value));
    if (amount === null) ignored.push(key);
    else add.push([key, amount]);
  }
  return { add, ignored };
}

function names(value: unknown, remarks: Remarks): string[] {
  if (value === undefined || value === null) return [];
  const given: unknown[] = Array.isArray(value) ? value : [value];
  const texts = given.filter((name) => typeof name === 'string').slice(0, MAX_PROFILE_PROPERTIES);
  const left = given.length - texts.length;
  if (left > 0) remarks.dropped(`takes at most ${MAX_PROFILE_PROPERTIES} names, which are strings`, value, left);
  return texts.map((name) => storedKey(name, remarks));
}
