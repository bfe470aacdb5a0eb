/** A parsed event as sent → what is stored of it. */
import type { NormalEvent, NormalIdentify } from '../../event.ts';
import { isTrue, type EventContext, eventOrigin, sentTime } from './context.ts';
import { parseId } from './id.ts';
import { cutText, isBlank, MAX_EVENT_TYPE, MAX_IMPORT_ID, MAX_IP, MAX_LIBRARY, MAX_USER_AGENT } from './limits.ts';
import { isLonger } from '../../../base/text/longest-name.ts';
import { Remarks } from './remarks.ts';
import { remarkEventFields } from './root-fields.ts';
import { NOTHING_STATED, statedColumns, statedOf, statedText, withStated } from './stated.ts';
import { storedProperties, wholeText } from './value.ts';

/** Why an event is skipped: the sentence shown by `?report=true`. */
export interface Invalid {
  readonly error: string;
}

/**
 * The event that `value` means, or why it is invalid: not an object, no valid `event_type`, or an id (of an import, too) that is
 * neither text nor number or is too long. Nothing else makes an event invalid; what is not stored as it was sent is in `remarks`, and invalid where the
 * context is strict.
 */
export function normaliseEvent(value: unknown, context: EventContext, remarks = new Remarks()): NormalEvent | Invalid {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { error: 'an event must be an object' };
  const sent: SentEvent = value;
  const wrong = typeError(sent.event_type, context);
  if (wrong !== null) return { error: wrong };
  const ids = parseIds(sent, { remarks, ...context });
  if ('error' in ids) return ids;
  const says = context.stated.size === 0 ? NOTHING_STATED : statedOf(sent, context.stated);
  const importId = parseId('import_id', Reflect.get(says, 'import_id'), { remarks, ...context }, MAX_IMPORT_ID);
  if ('error' in importId) return importId;

  const read = (field: 'event_properties' | 'user_properties'): NormalEvent['properties'] => {
    remarks.field = field;
    return storedProperties(sent[field], remarks);
  };
  remarks.field = 'event_type';
  const type = wholeText(String(sent.event_type), remarks);
  const time = sentTime(sent.time, context, remarks);
  const ownProperties = read('event_properties');
  const userProperties = read('user_properties');
  const library = shortText(sent, 'library', MAX_LIBRARY, remarks);
  const ip = shortText(says, 'ip', MAX_IP, remarks);
  const userAgent = shortText(says, 'user_agent', MAX_USER_AGENT, remarks) ?? statedText(says, '_ua', remarks);
  const stated = statedColumns(says, remarks);
  const properties = withStated(ownProperties, says, remarks);
  remarkOrigin(sent, remarks);
  const origin = eventOrigin(sent.origin === 'server', isTrue(sent.clientOriginated), context);
  remarkEventFields(sent, context, remarks);
  if (context.strict && remarks.refusal !== null) return { error: remarks.refusal };
  const said = { ip, userAgent, importId: importId.id, stated };
  return { type, ...ids, time, properties, userProperties, library, origin, ...said };
}

/** The user properties of an event with a user id become those of the profile; null if the event changes no profile. */
export function profileChangesOf(
  event: Pick<NormalEvent, 'userId' | 'userProperties' | 'time'>,
  { isDated }: Pick<EventContext, 'isDated'>,
): NormalIdentify | null {
  if (event.userId === null || event.userProperties.length === 0) return null;
  return {
    userId: event.userId,
    deviceId: null,
    at: isDated ? event.time : null,
    set: event.userProperties,
    setOnce: [],
    add: [],
    unset: [],
    ignored: [],
  };
}

/** The known members; any may be missing or of any type. */
interface SentEvent {
  readonly event_type?: unknown;
  readonly user_id?: unknown;
  readonly device_id?: unknown;
  readonly session_id?: unknown;
  readonly insert_id?: unknown;
  readonly time?: unknown;
  readonly event_properties?: unknown;
  readonly user_properties?: unknown;
  readonly library?: unknown;
  readonly origin?: unknown;
  readonly clientOriginated?: unknown;
  readonly ip?: unknown;
  readonly user_agent?: unknown;
}

function typeError(type: unknown, { blankIsText }: EventContext): string | null {
  if (type === undefined || type === null || type === '') return 'event_type is missing';
  if (typeof type !== 'string') return 'event_type must be a string';
  if (isBlank(type) && !blankIsText) return 'event_type is blank';
  return isLonger(type, MAX_EVENT_TYPE) ? `event_type is longer than ${MAX_EVENT_TYPE} characters` : null;
}

/** Members of another type say nothing of the origin. */
function remarkOrigin({ origin, clientOriginated }: SentEvent, remarks: Remarks): void {
  remarks.field = 'origin';
  if (!isMissing(origin) && typeof origin !== 'string') remarks.dropped('must be "server"', origin);
  remarks.field = 'clientOriginated';
  const isFlag = typeof clientOriginated === 'boolean' || clientOriginated === 0 || clientOriginated === 1;
  if (!isMissing(clientOriginated) && !isFlag) remarks.dropped('must be true or false', clientOriginated);
}

const isMissing = (value: unknown): boolean => value === undefined || value === null;

type Ids = Pick<NormalEvent, 'userId' | 'deviceId' | 'sessionId' | 'insertId'>;

function parseIds(sent: SentEvent, reading: Parameters<typeof parseId>[2]): Ids | Invalid {
  const user = parseId('user_id', sent.user_id, reading);
  if ('error' in user) return user;
  const device = parseId('device_id', sent.device_id, reading);
  if ('error' in device) return device;
  const session = parseId('session_id', sent.session_id, reading);
  if ('error' in session) return session;
  const insert = parseId('insert_id', sent.insert_id, reading);
  if ('error' in insert) return insert;
  return { userId: user.id, deviceId: device.id, sessionId: session.id, insertId: insert.id };
}

/** A text cut to a limit; null if it is empty or not a text. */
function shortText(
  sent: SentEvent,
  field: 'library' | 'ip' | 'user_agent',
  limit: number,
  remarks: Remarks,
): string | null {
  const value = sent[field];
  if (value === undefined || value === null || value === '') return null;
  remarks.field = field;
  if (typeof value !== 'string') {
    remarks.dropped('must be a string', value);
    return null;
  }
  const text = cutText(value, limit).toWellFormed();
  if (text !== value) remarks.trimmed(`the text was cut to ${limit} characters`, value);
  return text;
}
