/** Every field that a query may name, and which source knows which. */
import { formulaText } from './formula-text.ts';
import { METRIC_TRAITS } from './metrics.ts';
import type { CoreField, EnrichedField, ProfileField, SessionField } from './field-names.ts';
import type { Field, Metric } from './plan.ts';

export const CORE_FIELDS: readonly CoreField[] = [
  'event_type', 'user_id', 'device_id', 'session_id', 'distinct_id', 'time', 'insert_id',
]; // prettier-ignore

/** In the order of the columns of `list`. */
export const ENRICHED_FIELDS: readonly EnrichedField[] = [
  '_browser', '_browser_version', '_os', '_os_version', '_device_type', '_platform', '_url', '_path', '_path_clean',
  '_hostname', '_title', '_referrer', '_referrer_domain', '_ip', '_ua', '_library', '_ingest_origin', '_country', '_region',
  '_city', '_continent', '_timezone', '_latitude', '_longitude', '_import_id',
]; // prettier-ignore

const PLACE_FIELDS: readonly EnrichedField[] = [
  '_country', '_region', '_city', '_continent', '_timezone', '_latitude', '_longitude',
]; // prettier-ignore

export const SESSION_FIELDS: readonly SessionField[] = [
  'start_time', 'end_time', 'duration', 'event_count', 'first_event', 'last_event', 'landing_url', 'landing_path',
  'landing_path_clean', 'landing_hostname', 'exit_url', 'exit_path', 'exit_path_clean', 'referrer', 'referring_domain',
  'utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content', 'gclid', 'fbclid', 'language', 'timezone', 'country',
  'region', 'city', 'continent', 'ingest_origin',
]; // prettier-ignore

/** Built-in fields after `user.`; `users` also takes them bare, with `user_id`. */
const ACCOUNT_FIELDS: readonly ProfileField[] = ['email', 'email_domain', 'first_seen', 'last_seen'];

/** Where a name is resolved; `latest`: after the stage `latest`. */
export type FieldScope = 'events' | 'choice' | 'users' | 'latest';

export type FixedFields = ReadonlyMap<string, Field>;

/** The fixed field names of each scope, in the order an error lists them. */
export const FIXED_FIELDS: Readonly<Record<FieldScope, FixedFields>> = {
  events: eventFields([]),
  choice: eventFields(['choice_key', 'variant_key']),
  users: new Map<string, Field>([
    ...['user_id' as const, ...ACCOUNT_FIELDS].map((name) => [name, { kind: 'account', name }] as const),
    ...accountFields(),
  ]),
  latest: new Map<string, Field>(
    (['entity', 'last_value', 'set_at'] as const).map((name) => [name, { kind: 'latest', name }] as const),
  ),
};

/** Prefixes that any key may follow. */
const OPEN_PREFIXES: Readonly<Record<FieldScope, readonly (readonly [string, 'event' | 'sent' | 'profile'])[]>> = {
  events: [['event_properties.', 'event'], ['user_properties.', 'sent'], ['user.', 'profile']],
  choice: [['event_properties.', 'event'], ['user_properties.', 'sent'], ['user.', 'profile']],
  users: [['user.', 'profile']],
  latest: [],
}; // prettier-ignore

/** The field of a name, or null. `quoted`: the key was in quotes, so it may be empty. */
export function findField(scope: FieldScope, name: string, quoted = false): Field | null {
  const fixed = FIXED_FIELDS[scope].get(name);
  if (fixed !== undefined) return fixed;
  for (const [prefix, kind] of OPEN_PREFIXES[scope]) {
    if (name.startsWith(prefix) && (name.length > prefix.length || quoted)) {
      return { kind, path: name.slice(prefix.length) };
    }
  }
  return null;
}

/** The prefixes of a scope that take any key: `event_properties.`. */
export function openPrefixes(scope: FieldScope): readonly string[] {
  return OPEN_PREFIXES[scope].map(([prefix]) => prefix);
}

/** Whether the field's values are times: a literal compared with it must be one. */
export function isTimeField(field: Field): boolean {
  return 'name' in field && TIME_FIELDS[field.kind]?.includes(field.name) === true;
}

const TIME_FIELDS: Partial<Readonly<Record<Field['kind'], readonly string[]>>> = {
  core: ['time'],
  account: ['first_seen', 'last_seen'],
  session: ['start_time', 'end_time'],
  last_session: ['start_time', 'end_time'],
  latest: ['set_at'],
};

/**
 * Whether the field's values are seconds with a fraction: whole milliseconds, divided. Aggregates are formed in milliseconds and
 * divided once, so that they read 152.5155 and never 152.51549999999997.
 */
export function isSeconds(field: Field): boolean {
  if (field.kind === 'latest') return field.seconds === true;
  return (field.kind === 'session' || field.kind === 'last_session') && field.name === 'duration';
}

/** Whether a metric's values are computed, not stored ones: the least of computed numbers is computed, too. */
export function isComputed(metric: Metric): boolean {
  if (metric.kind === 'per') return true;
  const { value } = METRIC_TRAITS[metric.kind];
  return value === 'quantity' || (value === 'moment' && metric.kind !== 'count' && metric.field.kind === 'arithmetic');
}

/** The name of a field in the language, without quotes: `event_properties.amount`. */
export function fieldName(field: Field): string {
  if (field.kind === 'arithmetic') {
    return formulaText(field.expression, (index) => fieldName(field.fields[index]!));
  }
  if (field.kind === 'cohort') return `cohort ${JSON.stringify(field.name)}`;
  if (field.kind === 'did') return `did(${field.event ?? '*'})`;
  if (field.kind === 'account' && field.name === 'user_id') return field.name;
  return PREFIXES[field.kind] + ('path' in field ? field.path : field.name);
}

/** The fields that are read for one. */
export function storedFields(field: Field): readonly Field[] {
  if (field.kind === 'did' || field.kind === 'cohort') return []; // it is of other rows; conditionsOf has what a cohort tests
  return field.kind === 'arithmetic' ? field.fields : [field];
}

const PREFIXES: Readonly<Record<Exclude<Field['kind'], 'arithmetic' | 'did' | 'cohort'>, string>> = {
  core: '',
  enriched: '',
  latest: '',
  event: 'event_properties.',
  sent: 'user_properties.',
  profile: 'user.',
  account: 'user.',
  session: 'session.',
  last_session: 'user_last_session.',
};

/** A key that is equal for equal fields only: `user.email` is another field than a profile's key "email". */
export function fieldKey(field: Field): string {
  return `${field.kind} ${field.kind === 'did' ? JSON.stringify(field) : fieldName(field)}`;
}

function eventFields(choice: readonly string[]): FixedFields {
  return new Map<string, Field>([
    ...CORE_FIELDS.map((name) => [name, { kind: 'core', name }] as const),
    ...choice.map((path) => [path, { kind: 'event', path }] as const),
    ...ENRICHED_FIELDS.map((name) => [name, { kind: 'enriched', name }] as const),
    ...PLACE_FIELDS.map((name) => [`_geo${name}`, { kind: 'enriched', name }] as const),
    ...accountFields(),
    ...SESSION_FIELDS.map((name) => [`session.${name}`, { kind: 'session', name }] as const),
    ...SESSION_FIELDS.map((name) => [`user_last_session.${name}`, { kind: 'last_session', name }] as const),
  ]);
}

function accountFields(): (readonly [string, Field])[] {
  return ACCOUNT_FIELDS.map((name) => [`user.${name}`, { kind: 'account', name }] as const);
}
