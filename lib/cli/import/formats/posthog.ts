/** Events of PostHog: its batch exports as JSON lines (https://posthog.com/docs/cdp/batch-exports/s3), and CSVs of its lists of events. */
import { browserName, deviceType, systemName } from '../client-names.ts';
import * as to from '../draft.ts';
import { type ImportFormat, type Mapped, type SourceRecord, ImportError } from '../format.ts';
import { NO_GROUPS, placeGroups } from '../groups.ts';
import { eventOfRow } from './posthog-row.ts';

export const posthog: ImportFormat = {
  name: 'posthog',
  title: "PostHog's events",
  reads: ['lines', 'csv'],
  recognizes: (record) =>
    ['event', 'distinct_id', 'timestamp'].every((name) => name in record || `*.${name}` in record),
  map: (record) => map(eventOfRow(record)),
};

const OF_INTAKE = 'it says how PostHog took the event in';
const NOT_MERGED = 'people are not merged: every distinct id stays a user, or a device';
const IN_OTHERS = 'another field says the same';

const PLACES = to.placesOf({
  ...to.each(['event', 'distinct_id', 'timestamp', 'properties', 'person_properties'], to.formatItself),
  ...to.each(['set', 'set_once', 'uuid', 'id'], to.formatItself),
  ...{ ip: to.root('ip'), elements_chain: to.property('elements_chain'), elements: to.property('elements') },
  ...to.each(['created_at', '_inserted_at', 'team_id', 'site_url', 'historical_migration'], to.lost(OF_INTAKE)),
  ...to.each(['person_id', 'person'], to.lost(NOT_MERGED)),
});

const PROPERTIES = to.placesOf({
  ...to.each(['$set', '$set_once', '$unset', '$anon_distinct_id', '$device_id', '$session_id'], to.formatItself),
  ...to.each(['$is_identified', '$process_person_profile', '$lib', '$lib_version'], to.formatItself),
  ...{ $current_url: to.property('url'), $title: to.property('title'), $screen_name: to.property('name') },
  $referrer: to.property('referrer', (value) => (value === '$direct' ? undefined : value)),
  ...{ $browser: to.root('_browser', browserName), $browser_version: to.root('_browser_version', String) },
  ...{ $os: to.root('_os', systemName), $os_version: to.root('_os_version', String) },
  ...{ $device_type: to.root('_device_type', deviceType), $raw_user_agent: to.root('user_agent'), $ip: to.root('ip') },
  ...{ $geoip_country_code: to.root('_country'), $geoip_subdivision_1_name: to.root('_region') },
  ...{ $geoip_city_name: to.root('_city'), $geoip_continent_code: to.root('_continent') },
  ...{ $geoip_latitude: to.root('_latitude'), $geoip_longitude: to.root('_longitude') },
  ...{ $geoip_time_zone: to.root('_timezone'), $timezone: to.root('_timezone'), $browser_language: to.property('language') },
  ...{ $app_name: to.property('app_name'), $app_version: to.property('app_version'), $app_build: to.property('app_build') },
  ...{ $device_manufacturer: to.property('device_manufacturer'), $device_model: to.property('device_model') },
  $groups: placeGroups,
  ...to.each(['distinct_id', '$user_id', '$host', '$pathname', '$referring_domain', '$os_name'], to.lost(IN_OTHERS)),
  ...to.each(['$screen_height', '$screen_width', '$viewport_height', '$viewport_width'], to.formatItself),
  ...to.each(['$browser_language_prefix', '$timezone_offset'], to.lost(IN_OTHERS)),
  ...to.each(['token', '$time', '$timestamp', '$sent_at', '$insert_id', '$window_id', '$pageview_id'], to.lost(OF_INTAKE)),
}); // prettier-ignore

/** Columns of lists may be of the person, or what their query computes. */
const placeColumn: to.Goal = (draft, value, field) => {
  if (field.startsWith('person.')) draft.loseOnce('person', NOT_MERGED);
  else if (/[(\s]/.test(field)) draft.loseOnce(field, IN_OTHERS);
  else to.ownProperty(draft, value, field);
};

/** What PostHog's libraries tell PostHog of themselves, and what they repeat of other events. */
const OF_LIBRARIES =
  /^\$(?:sdk_debug|session_recording|recording_|replay_|configured_|console_log_|autocapture_disabled|web_vitals_(?:enabled|allowed)|exception_capture_|lib_|surveys_|initialization_time|dead_clicks_enabled|heatmaps_|client_session_initial_|has_recording)/;
const REPEATED = /^\$(?:geoip_|session_entry_|initial_|group_\d)/;

const placeProperty: to.Goal = (draft, value, field) => {
  const place = OF_LIBRARIES.test(field)
    ? to.lost(OF_INTAKE)
    : REPEATED.test(field)
      ? to.lost(IN_OTHERS)
      : to.ownProperty;
  place(draft, value, field);
};

/** Of PostHog's own properties of persons, which begin with `$`, only what was first is more than events have. */
const placeTrait: to.Goal = (draft, value, field) => {
  const name = traitName(field);
  if (name === null) draft.loseOnce('person_properties', OF_EVENTS);
  else to.ownUserProperty(draft, value, name);
};

const traitName = (field: string): string | null =>
  field.startsWith('$initial_') ? field.slice(1) : field.startsWith('$') ? null : field;

const OF_EVENTS = "PostHog's own properties of people are those of their last event";

const OF_PERSONS = to.placesOf({});

/** Events that Windlass has by another name. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['$pageview', 'page_view'],
  ['$screen', 'screen_view'],
]);

function map(record: SourceRecord): Mapped {
  const type = to.ownText(record, 'event');
  if (type === undefined) throw new ImportError('event is missing');
  const properties = to.recordOf(record, 'properties');
  const draft = new to.Draft();
  draft.set('event_type', TYPES.get(type) ?? type);
  draft.set('time', to.timeOf(record, 'timestamp'));
  placeIds(draft, record, properties);
  draft.set('insert_id', to.ownText(record, 'uuid') ?? to.ownText(record, 'id'));
  draft.place(record, PLACES, placeColumn);
  placeClient(draft, properties);
  draft.placeOwn(properties, PROPERTIES, placeProperty);
  draft.placeOwn(to.recordOf(record, 'person_properties'), OF_PERSONS, placeTrait);
  return end(draft, type, record, properties);
}

function end(draft: to.Draft, type: string, record: SourceRecord, properties: SourceRecord): Mapped {
  const ops = {
    $set: traitsOf(draft, { ...to.recordOf(record, 'set'), ...to.recordOf(properties, '$set') }),
    $set_once: traitsOf(draft, { ...to.recordOf(record, 'set_once'), ...to.recordOf(properties, '$set_once') }),
    $unset: properties['$unset'],
  };
  switch (type) {
    case '$identify':
      draft.set('user_id', to.ownText(record, 'distinct_id'));
      draft.event.delete('device_id'); // a random id, before it was known
      draft.set('device_id', to.ownText(properties, '$anon_distinct_id') ?? to.ownText(properties, '$device_id'));
      return draft.endAsChange(ops);
    case '$create_alias':
    case '$merge_dangerously':
      return alias(draft, to.ownText(record, 'distinct_id'), to.ownText(properties, 'alias'));
    case '$set':
      return draft.endAsChange(ops);
    case '$groupidentify':
      return to.allLost('event', NO_GROUPS);
    default:
      draft.change(ops);
      return draft.end();
  }
}

/** What an event changes of the person, less what its state of the person says already. */
function traitsOf(draft: to.Draft, changes: SourceRecord): SourceRecord {
  const traits = new Map<string, unknown>();
  for (const [field, value] of Object.entries(changes)) {
    const name = traitName(field);
    if (name === null) draft.loseOnce('$set', OF_EVENTS);
    else if (draft.user.get(name) !== value) traits.set(name, value);
  }
  return Object.fromEntries(traits);
}

/** Of two ids of a person the anonymous one is a device; of two known ones the alias. */
function alias(draft: to.Draft, id: string | undefined, other: string | undefined): Mapped {
  if (id === undefined || other === undefined) throw new ImportError('an alias has distinct_id and properties.alias');
  const [user, device] = isRandom(id) && !isRandom(other) ? [other, id] : [id, other];
  if (isRandom(user)) return to.allLost('alias', 'both ids are anonymous: there is no user');
  const why = 'it is bound as a device; events sent with it as the id of a user stay those of that user';
  return {
    events: [],
    identifies: [{ time: draft.event.get('time'), user_id: user, device_id: device }],
    lost: [{ field: 'alias', why }],
  };
}

function placeIds(draft: to.Draft, record: SourceRecord, properties: SourceRecord): void {
  const id = to.ownText(record, 'distinct_id');
  const device = to.ownText(properties, '$device_id');
  const isDevice = id !== undefined && isAnonymous(id, device, properties);
  draft.set('user_id', isDevice ? undefined : id);
  draft.set('device_id', isDevice ? id : device);
  draft.set('session_id', to.ownText(properties, '$session_id'));
}

/** Libraries in pages and apps say whether they know the person; those of servers send ids that they know, unless they say not. */
function isAnonymous(id: string, device: string | undefined, properties: SourceRecord): boolean {
  const isKnown = properties['$is_identified'];
  if (typeof isKnown === 'boolean') return !isKnown;
  if (to.ownText(properties, '$user_id') === id) return false;
  if (id === device) return true;
  const hasProfile = properties['$process_person_profile'] !== false;
  return isRandom(id) && !(hasProfile && OF_SERVERS.test(to.ownText(properties, '$lib') ?? ''));
}

const OF_SERVERS = /^posthog-(?:python|node|go|ruby|php|java|rs|dotnet|elixir)/;

/** A UUID, or the five groups of hex digits that earlier libraries made up. */
const isRandom = (id: string): boolean =>
  /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i.test(id) ||
  /^[\da-f]{11,16}-[\da-f]{10,16}-[\da-f]{6,9}-[\da-f]{4,9}-[\da-f]{11,16}$/.test(id);

function placeClient(draft: to.Draft, properties: SourceRecord): void {
  const [name, version] = [to.ownText(properties, '$lib'), to.ownText(properties, '$lib_version')];
  const library = name === 'web' ? 'posthog-js' : name;
  if (library !== undefined) draft.set('library', version === undefined ? library : `${library}/${version}`);
  for (const what of ['screen', 'viewport']) {
    const [width, height] = [to.ownText(properties, `$${what}_width`), to.ownText(properties, `$${what}_height`)];
    if (width !== undefined && height !== undefined) draft.properties.set(what, `${width}x${height}`);
  }
}
