/** Which fields the events of a segment may have, by name, for `fields` and `inspect`. */
import { CORE_FIELDS, ENRICHED_FIELDS, fieldName, SESSION_FIELDS } from '../../../dsl/plan/fields.ts';
import { fieldText } from '../../../dsl/hints/name-text.ts';
import type { Field } from '../../../dsl/plan/plan.ts';
import { type Profile, OVERFLOW, type Segment } from '../../../shards/shard-reader.ts';
import type { ProfileFieldRef } from '../../rows/profile-rows.ts';

export type FieldKind = 'core' | 'event' | 'user' | 'profile' | 'enriched' | 'session';

export interface PossibleField<F extends Field = Field> {
  /** As a query writes it: a key that is no bare name stands in quotes. */
  readonly name: string;
  readonly kind: FieldKind;
  readonly field: F;
}

const ACCOUNT = ['email', 'email_domain', 'first_seen', 'last_seen'] as const;
type AccountField = (typeof ACCOUNT)[number];
const BUILT_IN: ReadonlySet<string> = new Set(ACCOUNT);

/** Core, sent and enriched fields of a segment that some of its rows may have, but for properties in the overflow. */
export function fieldsOfSegment(segment: Segment): PossibleField[] {
  return [
    ...CORE_FIELDS.map((name) => known('core', { kind: 'core', name })),
    ...keysOf(segment, 'p').map((path) => propertyField('p', path)),
    ...keysOf(segment, 'u').map((path) => propertyField('u', path)),
    ...ENRICHED_FIELDS.map((name) => known('enriched', { kind: 'enriched', name })),
  ];
}

export function propertyField(kind: 'p' | 'u', path: string): PossibleField {
  return kind === 'p' ? known('event', { kind: 'event', path }) : known('user', { kind: 'sent', path });
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
  return { kind, field, name: fieldText(fieldName(field)) };
}

/** The keys of properties that have columns of their own. */
function keysOf(segment: Segment, kind: 'p' | 'u'): string[] {
  const names = segment.columnKeys().filter((name) => name.startsWith(`${kind}:`));
  return names.map((name) => name.slice(2)).filter((key) => key !== OVERFLOW);
}
