/** The fields at the root of an event and of an identify, and what others were probably meant to be. */
import { STATED_FIELDS } from '../../../base/stated-fields.ts';
import { nearestWithin } from '../../../base/text/nearest.ts';
import type { EventContext } from './context.ts';
import type { Remarks } from './remarks.ts';
import { shortened } from '../../../base/text/shown.ts';

const EVENT_FIELDS: ReadonlySet<string> = new Set([
  ...['event_type', 'user_id', 'device_id', 'session_id', 'insert_id', 'time', 'event_properties', 'user_properties'],
  ...['library', 'origin', 'clientOriginated'],
]);
/** Those that only a server may state. */
const OF_SERVERS: ReadonlySet<string> = new Set(['ip', 'user_agent', 'import_id', ...STATED_FIELDS]);
const ALL_FIELDS: ReadonlySet<string> = new Set([...EVENT_FIELDS, ...OF_SERVERS]);

const IDENTIFY_FIELDS: ReadonlySet<string> = new Set([
  ...['user_id', 'device_id', 'time', 'user_properties', 'user_property_ops'],
]);

/** What other products call the fields. */
const MEANT: ReadonlyMap<string, string> = new Map(
  Object.entries({
    event_type: ['event', 'type', 'name', 'eventType', 'event_name', 'eventName'],
    user_id: ['userId', 'userID', 'uid', 'distinct_id', 'distinctId'],
    device_id: ['deviceId', 'anonymousId', 'anonymous_id', 'client_id', 'clientId', '$device_id'],
    session_id: ['sessionId', 'session', '$session_id'],
    insert_id: ['insertId', '$insert_id', 'messageId', 'message_id', 'event_id', 'eventId', 'uuid'],
    time: ['timestamp', 'ts', 'datetime', 'date', 'created_at', 'createdAt', 'event_time', 'eventTime', 'originalTimestamp'],
    event_properties: ['properties', 'props', 'eventProperties', 'params', 'event_property', 'event_params', 'data', 'payload', 'attributes'],
    user_properties: ['traits', 'userProperties', 'user_property', 'user_traits', 'user_data', '$set'],
    import_id: ['importId', '_import_id'],
    user_agent: ['userAgent', 'useragent', 'ua'],
    ip: ['ip_address', 'ipAddress'],
  }).flatMap(([field, others]) => others.map((other) => [other, field] as const)),
); // prettier-ignore

/** Words of fewer letters are near to many others. */
const SHORT = 6;
const MOST_EDITS = 2;

/** Members of a batch, not of its events. */
const OF_BATCHES: ReadonlySet<string> = new Set(['sent_at', 'strict']);

/** Remarks on the unknown fields of an event, and on those that its sender may not state. */
export function remarkEventFields(sent: object, { stated }: Pick<EventContext, 'stated'>, remarks: Remarks): void {
  for (const [name, value] of Object.entries(sent)) {
    if (EVENT_FIELDS.has(name) || stated.has(name)) continue;
    if (!OF_SERVERS.has(name)) remarks.fieldIgnored(name, eventHint, value);
    else if (value !== undefined && value !== null) remarks.fieldIgnored(name, () => SERVERS_ONLY, value);
  }
}

const SERVERS_ONLY = 'only a server may state it, with a secret key (sk_) or an access token (aat_)';

/** The same for an identify. */
export function remarkIdentifyFields(sent: object, remarks: Remarks): void {
  for (const name of Object.keys(sent))
    if (!IDENTIFY_FIELDS.has(name)) remarks.fieldIgnored(name, identifyHint, Reflect.get(sent, name));
}

function eventHint(name: string): string {
  if (OF_BATCHES.has(name)) return 'write it at the root of a batch, beside `events`';
  const field = fieldMeant(name, ALL_FIELDS);
  if (field !== null) return `write it as ${field}`;
  return name.startsWith('_')
    ? 'the server finds such fields itself; properties of your own belong into event_properties'
    : `write it as event_properties.${shortened(name)}`;
}

function identifyHint(name: string): string {
  const field = name === 'properties' ? 'user_properties' : fieldMeant(name, IDENTIFY_FIELDS);
  return `write it as ${field ?? `user_properties.${shortened(name)}`}`;
}

/** The field that a name means, by another product or by a misspelling; null if it is a property, as far as anybody can tell. */
function fieldMeant(name: string, fields: ReadonlySet<string>): string | null {
  const meant = MEANT.get(name);
  if (meant !== undefined && fields.has(meant)) return meant;
  return name.length < SHORT ? null : nearestWithin(name, fields, MOST_EDITS);
}
