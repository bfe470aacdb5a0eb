/** Exports of Mixpanel: events of its raw export API, and profiles of `engage`. */
import { isRecord } from '../../../base/is-record.ts';
import { browserName, systemName } from '../client-names.ts';
import { ImportError, type ImportFormat, type Loss, type Mapped, type SourceRecord } from '../format.ts';
import { jsonText } from '../json-text.ts';
import { isFilled } from './ndjson.ts';

export const mixpanel: ImportFormat = {
  name: 'mixpanel',
  title: "Mixpanel's raw export",
  reads: ['lines'],
  recognizes: (record) => isEvent(record) || isProfile(record) || isPage(record),
  map: (record) => {
    if (isEvent(record)) return mapEvent(record);
    if (isProfile(record)) return mapProfile(record);
    if (!isPage(record)) throw new ImportError('it is neither an event ("event", "properties") nor a profile');
    return joined(record.results.filter(isRecord).map(mapProfile));
  },
};

interface MixpanelEvent extends SourceRecord {
  readonly event: string;
  readonly properties: SourceRecord;
}

const isEvent = (record: SourceRecord): record is MixpanelEvent =>
  typeof record['event'] === 'string' && isRecord(record['properties']) && 'distinct_id' in record['properties'];

const isProfile = (record: SourceRecord): boolean => '$distinct_id' in record && isRecord(record['$properties']);

/** A page of the profiles that `engage` answers. */
const isPage = (record: SourceRecord): record is SourceRecord & { readonly results: readonly unknown[] } =>
  Array.isArray(record['results']) && record['results'].every((one) => isRecord(one) && isProfile(one));

/** Properties of Mixpanel → fields of an event. */
const FIELDS: ReadonlyMap<string, string> = new Map([
  ['$insert_id', 'insert_id'],
  ['$browser', '_browser'],
  ['$browser_version', '_browser_version'],
  ['$os', '_os'],
  ['$os_version', '_os_version'],
  ['$city', '_city'],
  ['$region', '_region'],
  ['mp_country_code', '_country'],
  ['$current_url', '_url'],
  ['current_page_title', '_title'],
  ['$referrer', '_referrer'],
  ['$user_agent', '_ua'],
  ['ip', 'ip'],
]);

/** Properties of Mixpanel → properties of other names. */
const PROPERTIES: ReadonlyMap<string, string> = new Map([
  ['$manufacturer', 'device_manufacturer'],
  ['$brand', 'device_brand'],
  ['$model', 'device_model'],
  ['$app_version_string', 'app_version'],
  ['$app_version', 'app_version'],
  ['$app_build_number', 'app_build'],
  ['$carrier', 'carrier'],
  ['$search_engine', 'search_engine'],
  ['$initial_referrer', 'initial_referrer'],
  ['$initial_referring_domain', 'initial_referring_domain'],
  ['$screen_dpi', 'screen_dpi'],
  ['$duration', 'duration'],
]);

/** Read below, or the same said twice. */
const READ: ReadonlySet<string> = new Set([
  ...['time', 'distinct_id', '$user_id', '$device_id', 'mp_lib', '$lib_version', '$screen_width', '$screen_height'],
  ...['$device', '$had_persisted_distinct_id', '$referring_domain', '$distinct_id_before_identity'],
]);

/** Of the way to Mixpanel. */
const OF_THE_WAY =
  /^(?:mp_(?:processing_time_ms|sent_by_lib_version|api_.*)|\$(?:mp_.*|import|failure_.*|source|bucket|dataset))$/;

function mapEvent({ event, properties }: MixpanelEvent): Mapped {
  const bound = bindingOf(event, properties);
  if (bound !== null) return bound;
  const fields: Record<string, unknown> = { event_type: NAMES.get(event) ?? event, ...personOf(properties) };
  const own: Record<string, unknown> = {};
  const lost: Loss[] = [];
  for (const name of Object.keys(properties)) {
    const value = properties[name];
    if (READ.has(name) || value === null || value === undefined) continue;
    const field = FIELDS.get(name);
    if (field !== undefined) fields[field] = READ_AS.get(name)?.(value) ?? value;
    else if (OF_THE_WAY.test(name)) lost.push({ field: name, why: 'of its way to Mixpanel, not of the person' });
    else own[PROPERTIES.get(name) ?? name] = value;
  }
  const { $screen_width: width, $screen_height: height } = properties;
  if (typeof width === 'number' && typeof height === 'number') own['screen'] = `${width}x${height}`;
  fields['time'] = timeOf(properties['time']);
  fields['library'] = libraryOf(properties);
  fields['_device_type'] = deviceOf(properties);
  fields['event_properties'] = own;
  // Of two ids that an event names Mixpanel makes one person, but in projects that bind by events of their own.
  const { $user_id: user, $device_id: device } = properties;
  const identifies = isFilled(user) && isFilled(device) ? binding(user, device, fields['time']).identifies : [];
  return { events: [fields], identifies, lost };
}

const READ_AS: ReadonlyMap<string, (value: unknown) => string> = new Map([
  ['$browser', browserName],
  ['$browser_version', jsonText],
  ['$os', systemName],
  ['$os_version', jsonText],
]);

const NAMES: ReadonlyMap<string, string> = new Map([['$mp_web_page_view', 'page_view']]);

/**
 * Seconds since the epoch, but of projects that are older than 2023 by the clock of the project: so it is a text without an offset,
 * which `--timezone` gives a zone.
 */
function timeOf(time: unknown): unknown {
  if (typeof time !== 'number' || !(Math.abs(time) < 1e14)) return time;
  return new Date(Math.abs(time) < 1e11 ? time * 1_000 : time).toISOString().slice(0, -1);
}

/** Prefix of the id of a person who is not known, in projects with simplified merging of ids. */
const DEVICE = '$device:';

type Person = { readonly user_id?: unknown; readonly device_id?: unknown };

/** In older projects the id of a person who is not known is that of the device. */
function personOf({ distinct_id: id, $user_id: user, $device_id: device }: SourceRecord): Person {
  const given = isFilled(device) ? { device_id: device } : {};
  if (isFilled(user)) return { ...given, user_id: user };
  if (!isFilled(id)) return given;
  if (typeof id === 'string' && id.startsWith(DEVICE)) return { device_id: id.slice(DEVICE.length) };
  return id === device ? given : { ...given, user_id: id };
}

/** Events that say that ids are of one person; null: it is another. */
function bindingOf(event: string, properties: SourceRecord): Mapped | null {
  const time = timeOf(properties['time']);
  if (event === '$identify') return binding(properties['$identified_id'], properties['$anon_id'], time);
  if (event === '$create_alias') return binding(properties['distinct_id'], properties['alias'], time);
  if (event !== '$merge') return null;
  return { events: [], identifies: [], lost: [{ field: event, why: 'people are not merged: each keeps its events' }] };
}

function binding(user: unknown, device: unknown, time: unknown): Mapped {
  if (!isFilled(user) || !isFilled(device)) throw new ImportError('it binds no two ids');
  const identify = { user_id: user, device_id: typeof device === 'string' ? bare(device) : device, time };
  return { events: [], identifies: [identify], lost: [] };
}

const bare = (id: string): string => (id.startsWith(DEVICE) ? id.slice(DEVICE.length) : id);

function libraryOf({ mp_lib: name, $lib_version: version }: SourceRecord): string | undefined {
  if (typeof name !== 'string') return undefined;
  return version === undefined ? name : `${name}/${jsonText(version)}`;
}

/** What `$device` (of pages) and `$model` (of apps) say of it. */
function deviceOf({ $device: device, $model: model, $browser: browser, $os: os }: SourceRecord): string | undefined {
  const named = `${typeof device === 'string' ? device : ''} ${typeof model === 'string' ? model : ''}`;
  if (/ipad|tablet/i.test(named)) return 'tablet';
  if (/iphone|ipod|android|phone|blackberry/i.test(named) || os === 'iOS' || os === 'Android') return 'mobile';
  return isFilled(browser) ? 'desktop' : undefined;
}

/** Names that profiles of Mixpanel begin with a dollar sign are properties like others. */
function mapProfile(record: SourceRecord): Mapped {
  const { $distinct_id: id, $properties: properties } = record;
  if (!isRecord(properties) || !isFilled(id)) throw new ImportError('a profile has "$distinct_id" and "$properties"');
  if (typeof id === 'string' && id.startsWith(DEVICE))
    return { events: [], identifies: [], lost: [{ field: '$properties', why: 'there is no profile of a device' }] };
  const { $last_seen: time, ...others } = properties;
  const filled = Object.entries(others).filter(([, value]) => value !== null);
  const renamed = filled.map(([name, value]) => [name.replace(/^\$/, ''), value] as const);
  const identify = { user_id: id, ...(isFilled(time) && { time }), user_properties: Object.fromEntries(renamed) };
  return { events: [], identifies: [identify], lost: [] };
}

function joined(parts: readonly Mapped[]): Mapped {
  return {
    events: [],
    identifies: parts.flatMap(({ identifies }) => identifies),
    lost: parts.flatMap(({ lost }) => lost),
  };
}
