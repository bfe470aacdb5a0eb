/** Which fields the events of a segment may have, by name, for `fields` and `inspect`. */
import { CORE_FIELDS, ENRICHED_FIELDS, fieldName, SESSION_FIELDS } from '../../../dsl/plan/fields.ts';
import type { Field } from '../../../dsl/plan/plan.ts';
import { type Dictionary, type Profile, OVERFLOW, type Segment } from '../../../shards/shard-reader.ts';
import type { ProfileFieldRef } from '../../rows/profile-rows.ts';
import { parseObject } from '../../rows/json-path.ts';

export type FieldKind = 'core' | 'event' | 'user' | 'profile' | 'enriched' | 'session';

export interface PossibleField<F extends Field = Field> {
  readonly name: string;
  readonly kind: FieldKind;
  readonly field: F;
}

const ACCOUNT = ['email', 'email_domain', 'first_seen', 'last_seen'] as const;
type AccountField = (typeof ACCOUNT)[number];
const BUILT_IN: ReadonlySet<string> = new Set(ACCOUNT);

/** Core, sent and enriched fields of a segment that some of its rows may have. */
export function fieldsOfSegment(segment: Segment): PossibleField[] {
  return [
    ...CORE_FIELDS.map((name) => known('core', { kind: 'core', name })),
    ...keysOf(segment, 'p').map((path) => known('event', { kind: 'event', path })),
    ...keysOf(segment, 'u').map((path) => known('user', { kind: 'sent', path })),
    ...ENRICHED_FIELDS.map((name) => known('enriched', { kind: 'enriched', name })),
  ];
}

export const FIELDS_OF_SESSIONS = SESSION_FIELDS.map((name) => known('session', { kind: 'session' as const, name }));

export function accountField(name: AccountField): PossibleField<ProfileFieldRef> {
  return known('profile', { kind: 'account', name });
}

/** A property of profiles; null: a built-in field hides it. */
export function profileField(path: string): PossibleField<ProfileFieldRef> | null {
  return BUILT_IN.has(path) ? null : known('profile', { kind: 'profile', path });
}

export function fieldsOfProfiles(profiles: readonly Profile[]): PossibleField<ProfileFieldRef>[] {
  const keys = new Set<string>();
  let before: Profile['properties'] | null = null;
  for (const { properties } of profiles) {
    if (properties !== before) for (const key of Object.keys(properties)) keys.add(key);
    before = properties; // most users have none, all of them the same
  }
  return [...ACCOUNT.map(accountField), ...[...keys].flatMap((key) => profileField(key) ?? [])];
}

function known<F extends Field>(kind: FieldKind, field: F): PossibleField<F> {
  return { kind, field, name: fieldName(field) };
}

/** The keys of properties, including those in the overflow. */
function keysOf(segment: Segment, kind: 'p' | 'u'): string[] {
  const keys = new Set<string>();
  for (const name of segment.columnKeys()) {
    if (!name.startsWith(`${kind}:`)) continue;
    const key = name.slice(2);
    if (key !== OVERFLOW) keys.add(key);
    else overflowKeys(segment.column(name)?.dictionary ?? null).forEach((inner) => keys.add(inner));
  }
  return [...keys];
}

function overflowKeys(dictionary: Dictionary | null): string[] {
  if (dictionary === null) return [];
  const keys = new Set<string>();
  for (let code = 1; code <= dictionary.size; code++) {
    if (dictionary.type(code) !== 'object') continue;
    for (const key of Object.keys(parseObject(dictionary.text(code)))) keys.add(key);
  }
  return [...keys];
}
