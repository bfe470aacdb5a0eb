/** `fields` and `inspect`: the fields that events have, and their types. */
import type { SessionField } from '../../lib/dsl/plan/field-names.ts';
import type { Field, FieldsPlan, InspectPlan } from '../../lib/dsl/plan/plan.ts';
import { sourceRows, eventRow, ENRICHED, type EventRow } from './events.ts';
import { isNamed, selectEvents, type Scope } from './scope.ts';
import { by, column, inTurn, type Line, type Sheet } from './table.ts';
import { compareText, Instant, isMissing, textOf, type Value } from './value.ts';

interface KnownField {
  readonly name: string;
  readonly kind: 'core' | 'event' | 'user' | 'profile' | 'enriched' | 'session';
  /** Of the events that have the field. */
  readonly values: readonly Value[];
}

const CORE = ['event_type', 'user_id', 'device_id', 'session_id', 'distinct_id', 'time', 'insert_id'] as const;
const ACCOUNT = ['email', 'email_domain', 'first_seen', 'last_seen'] as const;
const SESSION: readonly SessionField[] = [
  ...(['start_time', 'end_time', 'duration', 'event_count', 'first_event', 'last_event'] as const),
  ...(['landing_url', 'landing_path', 'landing_path_clean', 'landing_hostname'] as const),
  ...(['exit_url', 'exit_path', 'exit_path_clean', 'referrer', 'referring_domain'] as const),
  ...(['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content', 'gclid', 'fbclid'] as const),
  ...(['language', 'timezone', 'country', 'region', 'city', 'continent', 'ingest_origin'] as const),
];

export function answerFields(scope: Scope, plan: FieldsPlan): Sheet {
  const rows = selectEvents(scope, plan).map((event) => eventRow(scope, event));
  const columns = [
    column('field', 'string', 'value'),
    column('kind', 'string', 'value'),
    column('type', 'string', 'value'),
    column('events', 'number', 'metric'),
    column('coverage', 'ratio', 'metric'),
  ];
  const lines = knownFields(scope, rows).map(({ name, kind, values }): Line => {
    const cells = [name, kind, typesOf(values), values.length, values.length / rows.length];
    return { cells, keys: cells };
  });
  return { columns, lines, order: inTurn(by(4, 'descending'), by(0, 'ascending')) };
}

export function answerInspect(scope: Scope, plan: InspectPlan): Sheet {
  return plan.event === null ? inspectEvents(scope, plan) : inspectOne(scope, plan);
}

function inspectOne(scope: Scope, plan: InspectPlan): Sheet {
  const rows = sourceRows(scope, { ...plan, person: null });
  const columns = [
    column('field', 'string', 'value'),
    column('coverage', 'ratio', 'metric'),
    column('types', 'string', 'value'),
    column('distinct', 'number', 'metric'),
    column('samples', 'json', 'value'),
  ];
  const lines = knownFields(scope, rows).map(({ name, values }): Line => {
    const texts = values.map(textOf);
    const coverage = values.length / rows.length;
    return {
      cells: [name, coverage, typesOf(values), new Set(texts).size, mostFrequent(texts)],
      keys: [name, coverage, null, null, null],
    };
  });
  return { columns, lines, order: inTurn(by(1, 'descending'), by(0, 'ascending')) };
}

function inspectEvents(scope: Scope, plan: InspectPlan): Sheet {
  const events = selectEvents(scope, plan);
  const columns = [
    column('event_type', 'string', 'value'),
    column('count', 'number', 'metric'),
    column('users', 'number', 'metric'),
    column('first_seen', 'time', 'value'),
    column('last_seen', 'time', 'value'),
    column('properties', 'number', 'metric'),
  ];
  const lines = [...new Set(events.map((event) => event.type))].map((type): Line => {
    const own = events.filter((event) => isNamed(event, type));
    const times = own.map((event) => event.time);
    const people = new Set(own.flatMap((event) => event.distinctId ?? []));
    const keys = new Set(own.flatMap((event) => Object.keys(event.properties)));
    const cells = [type, own.length, people.size, Math.min(...times), Math.max(...times), keys.size];
    return { cells, keys: cells };
  });
  return { columns, lines, order: inTurn(by(1, 'descending'), by(0, 'ascending')) };
}

/** Every field that some event has, with its values that are present and not null. */
function knownFields(scope: Scope, rows: readonly EventRow[]): KnownField[] {
  const of = (kind: KnownField['kind'], prefix: string, fields: readonly Field[]): KnownField[] =>
    fields.map((field) => ({
      kind,
      name: prefix + ('name' in field ? field.name : 'path' in field ? keyText(field.path) : ''),
      values: rows.map((row) => readKey(scope, row, field)).filter((value) => !isMissing(value)),
    }));
  const keysOf = (objects: readonly object[]): string[] => [...new Set(objects.flatMap((one) => Object.keys(one)))];
  const profiles = rows.flatMap(({ event }) => scope.facts.profiles.get(event.distinctId ?? '') ?? []);
  const builtIn = ['email', 'email_domain', 'first_seen', 'last_seen'];
  const profileKeys = keysOf(profiles.map((one) => one.properties)).filter((key) => !builtIn.includes(key));
  return [
    ...of(
      'core',
      '',
      CORE.map((name) => ({ kind: 'core', name })),
    ),
    ...of(
      'event',
      'event_properties.',
      keysOf(rows.map((row) => row.event.properties)).map((path) => ({ kind: 'event', path })),
    ),
    ...of(
      'user',
      'user_properties.',
      keysOf(rows.map((row) => row.event.userProperties)).map((path) => ({ kind: 'sent', path })),
    ),
    ...of(
      'profile',
      'user.',
      ACCOUNT.map((name) => ({ kind: 'account', name })),
    ),
    ...of(
      'profile',
      'user.',
      profileKeys.map((path) => ({ kind: 'profile', path })),
    ),
    ...of(
      'enriched',
      '',
      ENRICHED.map((name) => ({ kind: 'enriched', name })),
    ),
    ...of(
      'session',
      'session.',
      (scope.listsSessions ? SESSION : []).map((name) => ({ kind: 'session', name })),
    ),
  ].filter((field) => field.values.length > 0);
}

/** A key as a query writes it: in quotes where it has other characters than names, or none. */
function keyText(key: string): string {
  if (/^(?:[\p{L}\p{M}\p{N}_:./$]|-(?!>))+$/u.test(key)) return key;
  const escaped = key.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  return `"${escaped}"`;
}

/** A property counts if it was sent under its whole name as one key, not if a path into an object spells that name. */
function readKey(scope: Scope, { event, read }: EventRow, field: Field): Value {
  const own = (object: { readonly [key: string]: unknown } | undefined, key: string): Value =>
    object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
  switch (field.kind) {
    case 'event':
      return own(event.properties, field.path);
    case 'sent':
      return own(event.userProperties, field.path);
    case 'profile':
      return own(scope.facts.profiles.get(event.distinctId ?? '')?.properties, field.path);
    default:
      return read(field);
  }
}

const TYPES = ['string', 'number', 'boolean', 'object', 'array'];

/** The types of the values, joined in a fixed order. */
function typesOf(values: readonly Value[]): string {
  const found = new Set(values.map(typeOf));
  return TYPES.filter((type) => found.has(type)).join(', ');
}

function typeOf(value: Value): string {
  if (value instanceof Instant) return 'string';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Up to five texts, the most frequent first, then by code point. */
function mostFrequent(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  const sorted = [...counts].sort(([a, n], [b, m]) => m - n || compareText(a, b));
  return sorted.slice(0, 5).map(([text]) => text);
}
