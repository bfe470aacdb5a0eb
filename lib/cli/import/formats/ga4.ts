/** Events of Google Analytics 4 as its export to BigQuery has them, https://support.google.com/analytics/answer/7029846. */
import { isRecord } from '../../../base/is-record.ts';
import { browserName, deviceType, platformName, systemName, versionIn } from '../client-names.ts';
import { continentCode, countryCode } from '../countries.ts';
import * as to from '../draft.ts';
import { type ImportFormat, type Mapped, type SourceRecord, ImportError } from '../format.ts';

export const ga4: ImportFormat = {
  name: 'ga4',
  title: "Google Analytics 4's export to BigQuery",
  reads: ['lines'],
  recognizes: (record) => 'event_name' in record && 'event_timestamp' in record,
  map,
};

const OF_INTAKE = 'it says how Google took the event in';
const OF_ADVERTISING = 'ids of advertising have no place';
const IN_OTHERS = 'another field says the same';

const PLACES = to.placesOf({
  ...to.each(['event_name', 'event_timestamp', 'event_params', 'user_properties', 'device', 'geo'], to.formatItself),
  ...to.each(['app_info', 'traffic_source', 'collected_traffic_source', 'ecommerce', 'user_ltv'], to.formatItself),
  ...{ user_id: to.root('user_id', String), user_pseudo_id: to.root('device_id', String) },
  ...{ platform: to.root('_platform', platformName), stream_id: to.property('stream_id') },
  event_value_in_usd: to.property('value_in_usd', to.spelledAsNumber),
  items: to.property('items', (items) => (Array.isArray(items) ? items.map(membersOf) : items)),
  ...to.each(['event_date', 'event_previous_timestamp', 'event_dimensions'], to.lost(IN_OTHERS)),
  ...to.each(['user_first_touch_timestamp', 'is_active_user'], to.lost('it goes by the events themselves')),
  ...to.each(['event_bundle_sequence_id', 'event_server_timestamp_offset', 'privacy_info'], to.lost(OF_INTAKE)),
  ...to.each(['batch_event_index', 'batch_page_id', 'batch_ordering_id'], to.lost(OF_INTAKE)),
  session_traffic_source_last_click: to.lost('the source of a session is that of its first event that has one'),
  publisher: to.lost(OF_ADVERTISING),
});

const PARAMETERS = to.placesOf({
  ...{ page_location: to.property('url'), page_title: to.property('title'), page_referrer: to.property('referrer') },
  ...{ firebase_screen: to.property('name'), screen_name: to.property('name'), ga_session_id: to.formatItself },
  ...{ source: to.property('utm_source', given), medium: to.property('utm_medium', given) },
  ...{ campaign: to.property('utm_campaign', given), term: to.property('utm_term', given) },
  ...{ content: to.property('utm_content', given), campaign_id: to.property('utm_id', given) },
});

const COLLECTED = to.placesOf({
  ...{ manual_source: to.property('utm_source', given), manual_medium: to.property('utm_medium', given) },
  ...{ manual_campaign_name: to.property('utm_campaign', given), manual_campaign_id: to.property('utm_id', given) },
  ...{ manual_term: to.property('utm_term', given), manual_content: to.property('utm_content', given) },
});

/** By which a user came first. */
const FIRST_SOURCE = to.placesOf({
  ...{ source: to.userProperty('initial_utm_source', given), medium: to.userProperty('initial_utm_medium', given) },
  name: to.userProperty('initial_utm_campaign', given),
});

const DEVICE = to.placesOf({
  ...{ category: to.root('_device_type', deviceType), operating_system: to.root('_os', systemName) },
  operating_system_version: to.root('_os_version', versionIn),
  ...{ browser: to.root('_browser', browserName), browser_version: to.root('_browser_version') },
  ...{ language: to.property('language'), mobile_brand_name: to.property('device_manufacturer') },
  ...{ mobile_model_name: to.property('device_model'), mobile_marketing_name: to.property('device_name') },
  web_info: to.formatItself,
  ...to.each(['vendor_id', 'advertising_id', 'is_limited_ad_tracking'], to.lost(OF_ADVERTISING)),
  ...to.each(['mobile_os_hardware_model', 'time_zone_offset_seconds', 'hostname'], to.lost(IN_OTHERS)),
});

const GEO = to.placesOf({
  ...{ country: to.root('_country', countryCode), region: to.root('_region'), city: to.root('_city') },
  ...{ continent: to.formatItself, sub_continent: to.formatItself, metro: to.property('metro') },
});

const APP = to.placesOf({
  ...{ id: to.property('app_id'), version: to.property('app_version') },
  ...to.each(['install_store', 'firebase_app_id', 'install_source'], to.lost(OF_INTAKE)),
});

const ECOMMERCE = to.placesOf({
  purchase_revenue: to.property('revenue', to.spelledAsNumber),
  ...to.each(['refund_value', 'shipping_value', 'tax_value'], (draft, value, field) =>
    to.property(field.replace('_value', ''), to.spelledAsNumber)(draft, value, field),
  ),
  ...to.each(
    ['purchase_revenue_in_usd', 'refund_value_in_usd', 'shipping_value_in_usd', 'tax_value_in_usd'],
    (draft, value, field) => to.property(field.replace('purchase_', '').replace('_value', ''), to.spelledAsNumber)(draft, value, field),
  ),
  ...to.each(['total_item_quantity', 'unique_items'], (draft, value, field) =>
    to.property(field, to.spelledAsNumber)(draft, value, field),
  ),
}); // prettier-ignore

const LIFETIME = to.placesOf({
  ...{ revenue: to.userProperty('ltv_revenue', to.spelledAsNumber), currency: to.userProperty('ltv_currency') },
});

/** Sessions are fields of the event itself. */
const OF_USERS = to.placesOf(to.each(['ga_session_id', 'ga_session_number'], to.formatItself));

function map(record: SourceRecord): Mapped {
  const type = to.ownText(record, 'event_name');
  if (type === undefined) throw new ImportError('event_name is missing');
  const parameters = valuesOf(record['event_params']);
  const draft = new to.Draft();
  draft.set('event_type', type);
  draft.set('time', to.timeOf(record, 'event_timestamp'));
  draft.place(to.recordOf(record, 'collected_traffic_source'), COLLECTED);
  draft.placeOwn(parameters, PARAMETERS);
  draft.place(record, PLACES);
  draft.setSession(to.ownText(parameters, 'ga_session_id'));
  placeClient(draft, record);
  draft.place(to.recordOf(record, 'ecommerce'), ECOMMERCE);
  draft.placeOwn(valuesOf(record['user_properties']), OF_USERS, to.ownUserProperty);
  draft.place(to.recordOf(record, 'traffic_source'), FIRST_SOURCE);
  const lifetime = to.recordOf(record, 'user_ltv');
  if (Number(lifetime['revenue']) !== 0) draft.place(lifetime, LIFETIME);
  draft.bind();
  return draft.end();
}

function placeClient(draft: to.Draft, record: SourceRecord): void {
  const device = to.recordOf(record, 'device');
  const place = to.recordOf(record, 'geo');
  const continent = to.ownText(place, 'continent');
  draft.place(to.recordOf(device, 'web_info'), DEVICE);
  draft.place(device, DEVICE);
  draft.place(place, GEO);
  if (continent !== undefined) draft.set('_continent', continentCode(continent, place['sub_continent']));
  draft.place(to.recordOf(record, 'app_info'), APP);
}

/** `[{key, value: {int_value: "1"}}]` → values by key. */
function valuesOf(list: unknown): SourceRecord {
  if (!Array.isArray(list)) return {};
  const pairs = list.filter(isRecord).map(({ key, value }) => [String(key), valueOf(value)] as const);
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
}

/** A value has one of its members; whole numbers are texts in the JSON of BigQuery. */
function valueOf(value: unknown): unknown {
  if (!isRecord(value)) return undefined;
  const { string_value, int_value, float_value, double_value } = value;
  return string_value ?? to.spelledAsNumber(int_value ?? float_value ?? double_value) ?? undefined;
}

/** An item without its members that say nothing. */
function membersOf(item: unknown): unknown {
  if (!isRecord(item)) return item;
  const members = Object.entries(item).filter(([, value]) => !to.saysNothing(value));
  return Object.fromEntries(
    members.map(([name, value]) => [name, name === 'item_params' ? valuesOf(value) : to.spelledAsNumber(value)]),
  );
}

/** Sources that say that there is none. */
function given(value: unknown): unknown {
  return value === '(direct)' || value === '(none)' ? undefined : value;
}
