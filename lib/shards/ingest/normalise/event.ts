/** A parsed event as sent → what is stored of it. */
import type { NormalEvent, NormalIdentify } from '../../event.ts';
import { isTrue } from './batch-root.ts';
import { type EventContext, eventOrigin, eventTime } from './context.ts';
import { parseId } from './id.ts';
import { MAX_EVENT_TYPE, MAX_IP, MAX_LIBRARY, MAX_USER_AGENT } from './limits.ts';
import { cutText, isBlank, isLonger } from './text.ts';
import { parseTime } from './time.ts';
import { type Trimmed, profileValueOf, storedProperties, wholeText } from './value.ts';

/** Why an event is skipped: the sentence shown by `?report=true`. */
export interface Invalid {
  readonly error: string;
}

/**
 * The event that `value` means, or why it is invalid: not an object, no valid `event_type`, or an id that is neither text nor
 * number or is too long. Nothing else makes an event invalid; what cannot be stored is trimmed and counted.
 */
export function normaliseEvent(value: unknown, context: EventContext): NormalEvent | Invalid {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { error: 'an event must be an object' };
  const sent: SentEvent = value;
  const wrong = typeError(sent.event_type, context);
  if (wrong !== null) return { error: wrong };
  const trimmed: Trimmed = { count: 0 };
  const ids = parseIds(sent, { trimmed, blankIsText: context.blankIsText });
  if ('error' in ids) return ids;

  const type = wholeText(String(sent.event_type), trimmed);
  const time = eventTime(parseTime(sent.time) ?? NaN, context);
  const properties = storedProperties(sent.event_properties, trimmed);
  const userProperties = storedProperties(sent.user_properties, trimmed);
  const library = shortText(sent.library, MAX_LIBRARY, trimmed);
  const ip = context.trusted ? shortText(sent.ip, MAX_IP, trimmed) : null;
  const userAgent = context.trusted ? shortText(sent.user_agent, MAX_USER_AGENT, trimmed) : null;
  return {
    type,
    ...ids,
    time,
    properties,
    userProperties,
    library,
    origin: eventOrigin(sent.origin === 'server', isTrue(sent.clientOriginated), context),
    ip,
    userAgent,
    valuesTrimmed: trimmed.count,
  };
}

/** The user properties of an event with a user id become those of the profile; null if the event changes no profile. */
export function profileChangesOf(event: Pick<NormalEvent, 'userId' | 'userProperties'>): NormalIdentify | null {
  if (event.userId === null || event.userProperties.length === 0) return null;
  return {
    userId: event.userId,
    deviceId: null,
    set: event.userProperties.map(([key, value]) => [key, profileValueOf(value)] as const),
    setOnce: [],
    add: [],
    unset: [],
    ignored: [],
    valuesTrimmed: 0,
    idsIgnored: 0,
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

type Ids = Pick<NormalEvent, 'userId' | 'deviceId' | 'sessionId' | 'insertId' | 'idsIgnored'>;

function parseIds(sent: SentEvent, reading: Parameters<typeof parseId>[2]): Ids | Invalid {
  const user = parseId('user_id', sent.user_id, reading);
  if ('error' in user) return user;
  const device = parseId('device_id', sent.device_id, reading);
  if ('error' in device) return device;
  const session = parseId('session_id', sent.session_id, reading);
  if ('error' in session) return session;
  const insert = parseId('insert_id', sent.insert_id, reading);
  if ('error' in insert) return insert;
  const idsIgnored = [user, device, session, insert].filter(({ ignored }) => ignored).length;
  return { userId: user.id, deviceId: device.id, sessionId: session.id, insertId: insert.id, idsIgnored };
}

/** A text cut to a limit; null if it is empty or not a text. */
function shortText(value: unknown, limit: number, trimmed: Trimmed): string | null {
  if (typeof value !== 'string' || value === '') return null;
  const text = cutText(value, limit).toWellFormed();
  if (text !== value) trimmed.count++;
  return text;
}
