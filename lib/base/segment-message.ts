/**
 * Messages of the protocol of Segment (https://segment.com/docs/connections/spec/), as its libraries send them and its archives keep
 * them → events and identifies as /track and /identify take them.
 */
import { isRecord } from './is-record.ts';

/** What a message may be. */
export const MESSAGES = ['track', 'identify', 'page', 'screen', 'group', 'alias'] as const;

export type Message = Readonly<Record<string, unknown>>;
type Fields = Record<string, unknown>;

/** What a message becomes. `told`: what is not stored of it as one might expect. */
export type Meaning =
  { readonly event: Fields } | { readonly identify: Fields; readonly told?: string } | { readonly refused: string };

interface Believed {
  /** Whether the key is that of a server, which may say where its client is. */
  readonly trusted: boolean;
  /** Whether the times of changes are those of a clock that is right. */
  readonly isDated: boolean;
}

export function meaningOf(message: Message, believed: Believed): Meaning {
  switch (message['type']) {
    case 'track':
      return eventOf(message, String(textOf(message['event']) ?? ''), recordOf(message['properties']), believed);
    case 'page':
    case 'screen':
      return viewOf(message, believed);
    case 'identify':
      return identifyOf(message, believed);
    case 'group':
      return groupOf(message, believed);
    case 'alias':
      return aliasOf(message, believed);
    default:
      return { refused: `a message has a type: ${MESSAGES.join(', ')}` };
  }
}

function eventOf(message: Message, type: string, properties: Message, { trusted }: Believed): Meaning {
  const context = recordOf(message['context']);
  const traits = recordOf(context['traits']);
  const event = {
    event_type: type,
    ...present({
      user_id: message['userId'],
      device_id: message['anonymousId'],
      insert_id: message['messageId'],
      time: message['originalTimestamp'] ?? message['timestamp'],
      library: libraryOf(context),
      ...(isOfServer(message, context) && { origin: 'server' }),
      ...statedOf(context, trusted),
    }),
    event_properties: { ...propertiesOf(context), ...properties },
    ...(Object.keys(traits).length > 0 && { user_properties: profileOf(traits) }),
  };
  return { event };
}

/** The name of a page or screen, and its category, are properties, as libraries send them besides. */
function viewOf(message: Message, believed: Believed): Meaning {
  const type = message['type'] === 'page' ? 'page_view' : 'screen_view';
  const named = present({ name: message['name'] ?? message['event'], category: message['category'] });
  return eventOf(message, type, { ...named, ...recordOf(message['properties']) }, believed);
}

function identifyOf(message: Message, believed: Believed): Meaning {
  const traits = { ...recordOf(recordOf(message['context'])['traits']), ...recordOf(message['traits']) };
  if (textOf(message['userId']) === null)
    return { refused: 'an identify without userId changes no profile: there is none of a device' };
  return change(message, { device_id: message['anonymousId'], user_properties: profileOf(traits) }, believed);
}

/** The company of a user: its id, and its traits under `company.`. */
function groupOf(message: Message, believed: Believed): Meaning {
  if (textOf(message['userId']) === null)
    return { refused: 'a group without userId changes no profile: there is none of a device' };
  const traits = Object.entries(recordOf(message['traits'])).map(([key, value]) => [`company.${key}`, value] as const);
  const company = present({ company_id: message['groupId'], ...Object.fromEntries(traits) });
  return change(message, { device_id: message['anonymousId'], user_properties: company }, believed);
}

/** Binds the previous id as a device. Events that were sent with it as a user id stay those of that user. */
function aliasOf(message: Message, believed: Believed): Meaning {
  const previous = message['previousId'] ?? message['anonymousId'];
  if (textOf(message['userId']) === null || textOf(previous) === null)
    return { refused: 'an alias has userId and previousId' };
  return {
    ...change(message, { device_id: previous }, believed),
    told: 'previousId is bound as a device; events sent with it as userId stay those of that user',
  };
}

function change(message: Message, changes: Fields, { isDated }: Believed): { readonly identify: Fields } {
  const time = isDated ? (message['originalTimestamp'] ?? message['timestamp']) : null;
  return { identify: present({ user_id: message['userId'], time, ...changes }) };
}

const recordOf = (value: unknown): Message => (isRecord(value) ? value : {});

/** An id as it is sent; null: there is none. */
const textOf = (value: unknown): string | number | null =>
  (typeof value === 'string' && value !== '') || typeof value === 'number' ? value : null;

function present(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}

function libraryOf({ library }: Message): string | null {
  const { name, version } = recordOf(library);
  if (typeof name !== 'string') return null;
  return typeof version === 'string' ? `${name}/${version}` : name;
}

/** Libraries of servers, which say nothing else of where they run. */
const OF_SERVERS =
  /^(?:@segment\/analytics-node|@rudderstack\/rudder-sdk-node|(?:analytics|rudder(?:-analytics|-sdk)?)[-.](?:node|python|ruby|go|php|java|net)\b)/i;

function isOfServer({ channel }: Message, { library }: Message): boolean {
  const { name } = recordOf(library);
  return channel === 'server' || (typeof name === 'string' && OF_SERVERS.test(name));
}

/** What the context says of the client by the names that queries use. @param trusted Else only what an app alone knows of itself. */
function statedOf(context: Message, trusted: boolean): Fields {
  const [os, device] = [recordOf(context['os']), recordOf(context['device'])];
  const system = systemOf(os['name'], device['type']);
  const own = {
    user_agent: context['userAgent'],
    _os: os['name'],
    _os_version: os['version'],
    _device_type: system === null ? undefined : deviceOf(device),
    _platform: system,
  };
  if (!trusted) return own;
  const place = recordOf(context['location']);
  return {
    ...own,
    ip: context['ip'],
    _timezone: context['timezone'],
    ...{ _country: place['country'], _region: place['region'], _city: place['city'] },
    ...{ _latitude: place['latitude'], _longitude: place['longitude'] },
  };
}

/** The platform of an app; null: it is none. */
function systemOf(...names: readonly unknown[]): 'ios' | 'android' | null {
  for (const name of names) {
    if (typeof name !== 'string') continue;
    if (/^(?:i(?:pad)?os|tvos|watchos)$/i.test(name)) return 'ios';
    if (/^android/i.test(name)) return 'android';
  }
  return null;
}

const deviceOf = ({ model, name }: Message): string =>
  [model, name].some((text) => typeof text === 'string' && /ipad|tablet/i.test(text)) ? 'tablet' : 'mobile';

/** What the context says as properties: the page, the campaign, the app and its device. What the call itself says wins. */
function propertiesOf(context: Message): Fields {
  const [page, campaign] = [recordOf(context['page']), recordOf(context['campaign'])];
  const [app, device, screen] = [recordOf(context['app']), recordOf(context['device']), recordOf(context['screen'])];
  const { name, ...others } = campaign;
  const utm = Object.entries({ campaign: name, ...others }).map(([key, value]) => [`utm_${key}`, value] as const);
  return present({
    ...{ url: page['url'], title: page['title'], referrer: page['referrer'] },
    ...Object.fromEntries(utm),
    language: context['locale'],
    ...{ app_name: app['name'], app_version: app['version'], app_build: app['build'] },
    ...{ device_manufacturer: device['manufacturer'], device_model: device['model'] },
    ...(isSize(screen) && { screen: `${screen.width}x${screen.height}` }),
  });
}

const isSize = (screen: Message): screen is { readonly width: number; readonly height: number } =>
  typeof screen['width'] === 'number' && typeof screen['height'] === 'number';

/** Traits as properties of a profile. An object `company` is the company of the user, as a group has it. */
function profileOf({ company, ...traits }: Message): Fields {
  if (!isRecord(company)) return company === undefined ? traits : { ...traits, company };
  const { id, ...others } = company;
  const named = Object.entries(others).map(([key, value]) => [`company.${key}`, value] as const);
  return { ...traits, ...present({ company_id: id }), ...Object.fromEntries(named) };
}
