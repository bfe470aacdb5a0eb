/**
 * Calls of libraries that speak the protocol of Segment (https://segment.com/docs/connections/spec/) → events and identifies as
 * /track and /identify take them. Pure: it runs in a thread for reading.
 */
import { AppError } from '../../base/errors.ts';
import { isRecord } from '../../base/is-record.ts';
import { readTime } from '../../base/read-time.ts';
import { readJsonWithDigits } from '../../base/text/read-json.ts';

export const CALLS = ['track', 'identify', 'page', 'screen', 'group', 'alias', 'batch', 'import'] as const;
export type Call = (typeof CALLS)[number];
type Kind = Exclude<Call, 'batch' | 'import'>;

export interface SegmentBody {
  readonly call: Call;
  /** The JSON of the body. */
  readonly body: Uint8Array;
  /** Whether the key is that of a server, which may say where its client is. */
  readonly trusted: boolean;
  /** Messages of a batch. */
  readonly most: number;
  /** When it arrived, milliseconds since the epoch. */
  readonly receivedAt: number;
}

export interface Translated {
  /** A body of /track; null: there are no events. */
  readonly track: Uint8Array<ArrayBuffer> | null;
  /** Bodies of /identify, a line each; null: there are none. */
  readonly identify: Uint8Array<ArrayBuffer> | null;
  /** Of each event, and of each identify, the index of its message. */
  readonly events: readonly number[];
  readonly identifies: readonly number[];
  /** What is not stored of messages, and why: the first of them. */
  readonly told: readonly { readonly index: number; readonly message: string }[];
  /** How many messages are not stored at all. */
  readonly refused: number;
}

/** Messages whose loss is told. */
const MOST_TOLD = 20;

type Message = Readonly<Record<string, unknown>>;
type Fields = Record<string, unknown>;

/** Throws AppError 400 for what is no such call at all. */
export function translate({ call, body, trusted, most, receivedAt }: SegmentBody): Translated {
  const root = readBody(body);
  const messages = messagesOf(root, call, most);
  const sentAt = root['sentAt'] ?? messages[0]?.['sentAt'];
  const translation = new Translation(trusted, isRight(sentAt, receivedAt));
  for (const [index, message] of messages.entries()) translation.add(message, index);
  return translation.end(sentAt);
}

/** Milliseconds that a body may be on its way. */
const ON_THE_WAY = 150_000;

/** Whether the clock by which a body was sent is right, as far as it says. Times of events are corrected by it where they are read. */
function isRight(sentAt: unknown, receivedAt: number): boolean {
  const sent = isTime(sentAt) ? readTime(sentAt) : null;
  return sent === null || Math.abs(receivedAt - sent) <= ON_THE_WAY;
}

function readBody(body: Uint8Array): Message {
  let read: unknown;
  try {
    read = readJsonWithDigits(new TextDecoder().decode(body), (digits) => digits);
  } catch {
    throw new AppError('bad_request', 'The body is not JSON.');
  }
  if (!isRecord(read)) throw new AppError('bad_request', 'The body must be an object.');
  return read;
}

function messagesOf(root: Message, call: Call, most: number): readonly Message[] {
  if (call !== 'batch' && call !== 'import') return [{ ...root, type: call }];
  const { batch, context } = root;
  if (!Array.isArray(batch)) throw new AppError('bad_request', 'A batch is an object with a list "batch".');
  if (batch.length > most)
    throw new AppError('bad_request', `The batch has more than ${most.toLocaleString('en')} messages.`, {
      hints: ['Send smaller batches.'],
    });
  const shared = isRecord(context) ? context : {};
  return batch.map((message: unknown) =>
    isRecord(message) ? { ...message, context: { ...shared, ...recordOf(message['context']) } } : {},
  );
}

interface Numbered {
  readonly index: number;
  readonly fields: Fields;
}

class Translation {
  readonly #trusted: boolean;
  readonly #isDated: boolean;
  readonly #events: Numbered[] = [];
  readonly #identifies: Numbered[] = [];
  readonly #told: { readonly index: number; readonly message: string }[] = [];
  #refused = 0;

  /** @param isDated Whether the times of changes are those of a clock that is right. */
  constructor(trusted: boolean, isDated: boolean) {
    this.#trusted = trusted;
    this.#isDated = isDated;
  }

  end(sentAt: unknown): Translated {
    const batch = { events: this.#events.map(({ fields }) => fields), ...(isTime(sentAt) && { sent_at: sentAt }) };
    const lines = this.#identifies.map(({ fields }) => `${JSON.stringify(fields)}\n`).join('');
    return {
      track: this.#events.length === 0 ? null : new TextEncoder().encode(JSON.stringify(batch)),
      identify: lines === '' ? null : new TextEncoder().encode(lines),
      events: this.#events.map(({ index }) => index),
      identifies: this.#identifies.map(({ index }) => index),
      told: this.#told,
      refused: this.#refused,
    };
  }

  add(message: Message, index: number): void {
    switch (message['type'] as Kind) {
      case 'track':
        return this.#event(message, index, String(textOf(message['event']) ?? ''), recordOf(message['properties']));
      case 'page':
      case 'screen':
        return this.#view(message, index);
      case 'identify':
        return this.#identify(message, index);
      case 'group':
        return this.#group(message, index);
      case 'alias':
        return this.#alias(message, index);
      default:
        this.#refuse(index, `a message has a type: ${CALLS.slice(0, 6).join(', ')}`);
    }
  }

  #event(message: Message, index: number, type: string, properties: Message): void {
    const context = recordOf(message['context']);
    const traits = recordOf(context['traits']);
    const fields = {
      event_type: type,
      ...present({
        user_id: message['userId'],
        device_id: message['anonymousId'],
        insert_id: message['messageId'],
        time: message['originalTimestamp'] ?? message['timestamp'],
        library: libraryOf(context),
        ...(isOfServer(message, context) && { origin: 'server' }),
        ...statedOf(context, this.#trusted),
      }),
      event_properties: { ...propertiesOf(context), ...properties },
      ...(Object.keys(traits).length > 0 && { user_properties: profileOf(traits) }),
    };
    this.#events.push({ index, fields });
  }

  /** The name of a page or screen, and its category, are properties, as libraries send them besides. */
  #view(message: Message, index: number): void {
    const type = message['type'] === 'page' ? 'page_view' : 'screen_view';
    const named = present({ name: message['name'] ?? message['event'], category: message['category'] });
    this.#event(message, index, type, { ...named, ...recordOf(message['properties']) });
  }

  #identify(message: Message, index: number): void {
    const traits = { ...recordOf(recordOf(message['context'])['traits']), ...recordOf(message['traits']) };
    if (textOf(message['userId']) === null)
      return this.#refuse(index, 'an identify without userId changes no profile: there is none of a device');
    this.#change(message, index, { device_id: message['anonymousId'], user_properties: profileOf(traits) });
  }

  /** The company of a user: its id, and its traits under `company.`. */
  #group(message: Message, index: number): void {
    if (textOf(message['userId']) === null)
      return this.#refuse(index, 'a group without userId changes no profile: there is none of a device');
    const traits = Object.entries(recordOf(message['traits'])).map(
      ([key, value]) => [`company.${key}`, value] as const,
    );
    const company = present({ company_id: message['groupId'], ...Object.fromEntries(traits) });
    this.#change(message, index, { device_id: message['anonymousId'], user_properties: company });
  }

  /** Binds the previous id as a device. Events that were sent with it as a user id stay those of that user. */
  #alias(message: Message, index: number): void {
    const previous = message['previousId'] ?? message['anonymousId'];
    if (textOf(message['userId']) === null || textOf(previous) === null)
      return this.#refuse(index, 'an alias has userId and previousId');
    this.#change(message, index, { device_id: previous });
    this.#tell(index, 'previousId is bound as a device; events sent with it as userId stay those of that user');
  }

  #change(message: Message, index: number, changes: Fields): void {
    const time = this.#isDated ? (message['originalTimestamp'] ?? message['timestamp']) : null;
    this.#identifies.push({ index, fields: present({ user_id: message['userId'], time, ...changes }) });
  }

  #refuse(index: number, message: string): void {
    this.#refused++;
    this.#tell(index, message);
  }

  #tell(index: number, message: string): void {
    if (this.#told.length < MOST_TOLD) this.#told.push({ index, message });
  }
}

const recordOf = (value: unknown): Message => (isRecord(value) ? value : {});

/** An id as it is sent; null: there is none. */
const textOf = (value: unknown): string | number | null =>
  (typeof value === 'string' && value !== '') || typeof value === 'number' ? value : null;

const isTime = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';

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
