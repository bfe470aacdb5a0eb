/** Events of Amplitude's Export API, https://amplitude.com/docs/apis/analytics/export, and of its exports to buckets. */
import { browserName, isSystem, platformName, systemName, versionIn } from '../client-names.ts';
import { countryCode } from '../countries.ts';
import * as to from '../draft.ts';
import { type ImportFormat, type Mapped, type SourceRecord, ImportError } from '../format.ts';
import { NO_GROUPS, placeGroups } from '../groups.ts';

export const amplitude: ImportFormat = {
  name: 'amplitude',
  title: "Amplitude's export",
  reads: ['lines'],
  recognizes: (record) => 'event_type' in record && ('amplitude_id' in record || 'server_upload_time' in record),
  map,
};

const OF_INTAKE = 'it says how Amplitude took the event in';
const OF_ADVERTISING = 'ids of advertising have no place';

const PLACES = to.placesOf({
  ...to.each(['event_type', 'event_time', 'client_event_time', 'uuid', '$insert_id'], to.formatItself),
  ...to.each(['session_id', 'amplitude_id', 'event_properties', 'user_properties'], to.formatItself),
  ...to.each(['platform', 'os_name', 'os_version', 'device_family', 'device_type'], to.formatItself),
  ...{ user_id: to.root('user_id', String), device_id: to.root('device_id', String) },
  ...{ ip_address: to.root('ip'), user_agent: to.root('user_agent'), library: to.root('library') },
  ...{ country: to.root('_country', countryCode), region: to.root('_region'), city: to.root('_city') },
  ...{ location_lat: to.root('_latitude'), location_lng: to.root('_longitude') },
  ...{ version_name: to.property('app_version'), device_carrier: to.property('carrier') },
  ...to.each(['start_version', 'user_creation_time', 'paying'], to.ownUserProperty),
  groups: placeGroups,
  group_properties: to.lost(NO_GROUPS),
  global_user_properties: to.lost('user_properties has them'),
  ...to.each(['adid', 'idfa', 'idfv', 'amplitude_attribution_ids', 'is_attribution_event'], to.lost(OF_ADVERTISING)),
  ...to.each(['client_upload_time', 'server_received_time', 'server_upload_time'], to.lost(OF_INTAKE)),
  ...to.each(['processed_time', 'amplitude_event_type', 'app', 'event_id', 'sample_rate'], to.lost(OF_INTAKE)),
  ...to.each(['$schema', '$insert_key', 'data', 'data_type', 'plan', 'source_id', 'partner_id'], to.lost(OF_INTAKE)),
});

/** What Amplitude's own libraries call properties of events. */
const PROPERTIES = to.placesOf({
  ...{ '[Amplitude] Page URL': to.property('url'), '[Amplitude] Page Location': to.property('url') },
  ...{ '[Amplitude] Page Title': to.property('title'), '[Amplitude] Screen Name': to.property('name') },
  ...{ $revenue: to.property('revenue'), $price: to.property('price'), $quantity: to.property('quantity') },
  ...{ $productId: to.property('product_id'), $revenueType: to.property('revenue_type') },
});

const OF_USERS = to.placesOf({});

/** Events that Windlass has by another name. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['[Amplitude] Page Viewed', 'page_view'],
  ['[Amplitude] Screen Viewed', 'screen_view'],
]);

function map(record: SourceRecord): Mapped {
  const type = to.ownText(record, 'event_type');
  if (type === undefined) throw new ImportError('event_type is missing');
  const draft = new to.Draft();
  draft.set('event_type', TYPES.get(type) ?? type);
  draft.set('time', to.timeOf(record, 'event_time', 'client_event_time'));
  draft.set('insert_id', to.ownText(record, 'uuid') ?? to.ownText(record, '$insert_id'));
  draft.placeOwn(to.recordOf(record, 'event_properties'), PROPERTIES);
  draft.place(record, PLACES);
  placePerson(draft, record);
  placeClient(draft, record);
  draft.placeOwn(to.recordOf(record, 'user_properties'), OF_USERS, to.ownUserProperty);
  if (type === '$identify') return draft.endAsChange();
  if (type === '$groupidentify') return to.allLost('event_type', NO_GROUPS);
  draft.bind();
  return draft.end();
}

/** Sessions are numbered for each device; -1 is none. Who has no id at all is known by Amplitude's own number. */
function placePerson(draft: to.Draft, record: SourceRecord): void {
  const number = to.ownText(record, 'amplitude_id');
  if (!draft.event.has('user_id') && !draft.event.has('device_id') && number !== undefined)
    draft.set('device_id', `amplitude:${number}`);
  else if (number !== undefined)
    draft.lost.push({ field: 'amplitude_id', why: 'user_id and device_id say who it was' });
  const session = to.ownText(record, 'session_id');
  if (session !== '-1') draft.setSession(session);
}

/** In browsers `os_name` is the browser, and the family of the device the system; in apps it is the system. */
function placeClient(draft: to.Draft, record: SourceRecord): void {
  const [platform, name, version] = ['platform', 'os_name', 'os_version'].map((field) => to.ownText(record, field));
  const [family, type] = ['device_family', 'device_type'].map((field) => to.ownText(record, field));
  const isWeb = platform?.toLowerCase() === 'web';
  const system = isWeb ? [type, family].find((text) => text !== undefined && isSystem(text)) : name;
  if (platform !== undefined) draft.set('_platform', platformName(platform));
  if (isWeb && name !== undefined) draft.set('_browser', browserName(name));
  if (isWeb) draft.set('_browser_version', version);
  if (system !== undefined) draft.set('_os', systemName(system));
  draft.set('_os_version', isWeb ? versionIn(system ?? '') : version);
  draft.set('_device_type', deviceOf(String(draft.event.get('_os')), `${type ?? ''} ${family ?? ''}`));
  if (family !== undefined && family !== system) draft.properties.set('device_family', family);
  if (type !== undefined && type !== system) draft.properties.set('device_type', type);
}

/** By the system; a model tells tablets from phones. */
function deviceOf(system: string, model: string): string | undefined {
  if (system === 'iOS' || system === 'Android') return /ipad|tablet|\btab\b/i.test(model) ? 'tablet' : 'mobile';
  return isSystem(system) ? 'desktop' : undefined;
}
