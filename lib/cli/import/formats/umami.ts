/** CSVs of Umami's export: rows of `website_event`, with the columns of their session, of `event_data` and of `session_data`. */
import { browserName, deviceType, systemName, versionIn } from '../client-names.ts';
import { countryCode } from '../countries.ts';
import * as to from '../draft.ts';
import { type ImportFormat, type Mapped, type SourceRecord, ImportError } from '../format.ts';

export const umami: ImportFormat = {
  name: 'umami',
  title: "Umami's export",
  reads: ['csv', 'lines'],
  recognizes: (record) =>
    'session_id' in record &&
    ('event_type' in record ? 'url_path' in record : 'data_key' in record || 'event_key' in record),
  map,
};

const OF_INTAKE = 'it says how Umami took the event in';

const PLACES = to.placesOf({
  ...to.each(['event_type', 'event_name', 'created_at', 'hostname', 'url_path', 'url_query'], to.formatItself),
  ...to.each(['referrer_domain', 'referrer_path', 'referrer_query', 'event_data'], to.formatItself),
  ...{ event_id: to.root('insert_id'), session_id: to.root('device_id'), visit_id: to.root('session_id') },
  ...{ distinct_id: to.root('user_id'), page_title: to.property('title') },
  ...{ browser: to.root('_browser', browserName), device: to.root('_device_type', deviceType), os: placeSystem },
  ...{ country: to.root('_country', countryCode), region: to.root('_region'), subdivision1: to.root('_region') },
  city: to.root('_city'),
  ...to.each(['subdivision2', 'job_id'], to.lost(OF_INTAKE)),
});

function placeSystem(draft: to.Draft, value: unknown): void {
  draft.set('_os', systemName(value));
  if (systemName(value) !== value) draft.set('_os_version', versionIn(value));
}

function map(record: SourceRecord): Mapped {
  const key = to.ownText(record, 'data_key') ?? to.ownText(record, 'event_key');
  if (key !== undefined) return 'event_id' in record ? dataOfEvent(record, key) : dataOfSession(record, key);
  const draft = new to.Draft();
  draft.set('event_type', typeOf(record));
  draft.set('time', to.timeOf(record, 'created_at'));
  placePage(draft, record);
  draft.place(record, PLACES);
  draft.placeOwn(to.recordOf(record, 'event_data'), NO_PLACES);
  draft.bind();
  return draft.end();
}

const NO_PLACES = to.placesOf({});

/** 1 is a view of a page, 2 an event with a name. */
function typeOf(record: SourceRecord): string {
  const name = to.ownText(record, 'event_name');
  const kind = to.ownText(record, 'event_type');
  if (name !== undefined) return name;
  if (kind === '1') return 'page_view';
  if (kind === undefined) throw new ImportError('event_type and event_name are missing');
  return `umami.event_${kind}`;
}

function placePage(draft: to.Draft, record: SourceRecord): void {
  const url = addressOf(record, 'hostname', 'url_path', 'url_query');
  const referrer = addressOf(record, 'referrer_domain', 'referrer_path', 'referrer_query');
  if (url !== undefined) draft.properties.set('url', url);
  if (referrer !== undefined) draft.properties.set('referrer', referrer);
}

function addressOf(
  record: SourceRecord,
  ...fields: readonly [host: string, path: string, query: string]
): string | undefined {
  const [host, path = '', query] = fields.map((field) => to.ownText(record, field));
  if (host === undefined && path === '') return undefined;
  const whole = query === undefined ? path : `${path}?${query}`;
  return host === undefined ? whole : `https://${host}${whole}`;
}

/** A value of an event lies in a row of its own: it becomes an event of its own, since what is stored does not change. */
function dataOfEvent(record: SourceRecord, key: string): Mapped {
  const draft = new to.Draft();
  const event = to.ownText(record, 'event_id');
  draft.set('event_type', 'umami.event_data');
  draft.set('time', to.timeOf(record, 'created_at'));
  draft.set('insert_id', event === undefined ? undefined : `${event}.${key}`);
  draft.set('device_id', to.ownText(record, 'session_id'));
  draft.place(
    { event_id: event, name: record['event_name'], url: record['url_path'], [key]: valueOf(record) },
    NO_PLACES,
  );
  draft.lost.push({
    field: 'event_id',
    why: 'values are rows apart from their events, and become events named umami.event_data',
  });
  return draft.end();
}

function dataOfSession(record: SourceRecord, key: string): Mapped {
  const draft = new to.Draft();
  draft.set('time', to.timeOf(record, 'created_at'));
  draft.set('user_id', to.ownText(record, 'distinct_id'));
  draft.set('device_id', to.ownText(record, 'session_id'));
  draft.place({ [key]: valueOf(record) }, NO_PLACES, to.ownUserProperty);
  return draft.endAsChange();
}

function valueOf(record: SourceRecord): unknown {
  const number = record['number_value'];
  if (!to.saysNothing(number)) return to.decimalOf(number);
  return to.saysNothing(record['date_value']) ? record['string_value'] : record['date_value'];
}
