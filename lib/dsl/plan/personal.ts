/** What is personal data: which fields and properties, and which columns of an answer hold them. Ids are not: they are hashed. */
import { findField, storedFields } from './fields.ts';
import { storedField } from './plan-uses.ts';
import { groupsOfPeople, PERSON_GROUPS } from './people.ts';
import type { Hides, Personal } from './hides.ts';
import type { Field, ListedField, Plan } from './plan.ts';
import { attributeOf, isSessionNumber } from './session-attribute.ts';
import type { TableColumn } from './table.ts';
import { unreachable } from '../../base/unreachable.ts';

/** Whose properties an object has: an event's, a user's as sent with it, a profile's. */
type Owner = 'event' | 'sent' | 'profile';

/** What every project's properties are named if they are personal. A `name` of an event is that of a product or a page. */
const ALWAYS: Readonly<Record<Owner, readonly string[]>> = {
  event: ['email'],
  sent: ['email', 'name'],
  profile: ['email', 'name'],
};

const ALWAYS_ENRICHED: readonly string[] = ['_ip', '_ua'];

/**
 * Whether values of the field are personal data.
 * @param named What the project names so: keys of properties (`phone`), paths inside of objects (`address.street`), fields from
 * requests (`_city`), in any case.
 */
export function isPersonal(field: Field, named: Personal): boolean {
  if (named === 'profiles') return isOfProfile(field);
  const isNamed = (name: string): boolean => named.some((one) => isSame(one, name));
  switch (field.kind) {
    case 'event':
    case 'sent':
    case 'profile':
      return [...ALWAYS[field.kind], ...named].some((name) => overlap(name, field.path));
    case 'enriched':
      return ALWAYS_ENRICHED.includes(field.name) || isNamed(field.name);
    case 'account':
      return field.name === 'email' || isNamed(field.name);
    case 'session':
    case 'last_session': {
      if (isSessionNumber(field.name)) return false;
      const attribute = attributeOf(field.name);
      if (attribute.of === 'campaign') return isPersonal({ kind: 'event', path: attribute.name }, named);
      return isNamed(field.name) || ('field' in attribute && isPersonal(attribute.field, named));
    }
    case 'arithmetic':
      return storedFields(field).some((one) => isPersonal(one, named));
    case 'core':
    case 'latest': // it is another field's value: `storedField`
    case 'did': // it is of other rows: `didPlans`
    case 'cohort': // its condition is looked at by itself: `fieldUses`
      return false;
    default:
      return unreachable(field);
  }
}

/** Whether it tells of a single person what a profile has; sent with an event, too. */
function isOfProfile(field: Field): boolean {
  if (field.kind === 'arithmetic') return field.fields.some(isOfProfile);
  if (field.kind === 'account') return field.name === 'email' || field.name === 'email_domain';
  return field.kind === 'profile' || field.kind === 'sent';
}

/** Whether the field's values name a person, a device, a session or an event. */
export function isId(field: Field): boolean {
  if (field.kind === 'account') return field.name === 'user_id';
  return field.kind === 'core' && field.name !== 'event_type' && field.name !== 'time';
}

/** The plan for somebody who sees no personal data, whose query names none (`refusePersonal`). */
export function hiding(plan: Plan, hides: Hides): Plan {
  if (plan.kind !== 'users' || plan.fields === undefined || hides.key === null) return { ...plan, hides };
  // Rows come in the order of their ids: they are sorted again, by the hashes.
  const fields = [
    ...plan.fields,
    ...ORDER_OF_USERS.map((field): ListedField => ({ field, column: field.name, hidden: true })),
  ];
  return { ...plan, fields, hides };
}

const ORDER_OF_USERS = [
  { kind: 'account', name: 'last_seen' },
  { kind: 'account', name: 'user_id' },
] as const;

/** The object without its personal keys. @param inside The path of the object inside of the properties. */
export function withoutPersonal(
  properties: { readonly [key: string]: unknown },
  of: Owner,
  named: readonly string[],
  inside = '',
): { readonly [key: string]: unknown } {
  const personal = [...ALWAYS[of], ...named];
  const kept = Object.entries(properties).flatMap(([key, value]): (readonly [string, unknown])[] => {
    const path = inside + key;
    if (!personal.some((name) => overlap(name, path))) return [[key, value]];
    const isParent = personal.every((name) => !overlap(name, path) || isWithin(name, path));
    // Of a list all is left out.
    return isParent && isObject(value) ? [[key, withoutPersonal(value, of, named, `${path}.`)]] : [];
  });
  return Object.fromEntries(kept);
}

const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** Whether the value at `path` has something of that at `name`: it is the same, inside of it, or around it. */
const overlap = (name: string, path: string): boolean =>
  isSame(name, path) || isWithin(name, path) || isWithin(path, name);

const isWithin = (path: string, object: string): boolean => path.toLowerCase().startsWith(`${object.toLowerCase()}.`);

/** What the cells of a column hold: values of a field, all properties of somebody, values of the field that the row names; null: nothing of these. */
export type Held =
  | { readonly kind: 'field'; readonly field: Field; /** Of many rows. */ readonly grouped?: true }
  | { readonly kind: Owner | 'samples' }
  | null;

/** What the columns of a source hold, before any stage that works on its rows. @param columns `columnsOf(plan)`. */
export function heldBy(plan: Plan, columns: readonly TableColumn[]): readonly Held[] {
  const ofGroups = groupsOfPeople(plan).map((group): Held =>
    group.kind === 'field' ? { kind: 'field', field: storedField(plan, group.field), grouped: true } : null,
  );
  if (plan.people !== undefined) return [...PERSON_GROUPS.map(({ field }) => heldField(field)), null, ...ofGroups];
  switch (plan.kind) {
    case 'list':
    case 'users':
      if (plan.fields !== undefined) return plan.fields.map(({ field }) => heldField(field));
      if (plan.kind === 'users' && plan.metrics.length > 0) return ofGroups;
      return columns.map(({ name }) => heldByName(plan.kind, name));
    case 'latest':
      return plan.metrics.length > 0 ? ofGroups : [heldField(plan.entity), heldField(plan.field), null];
    case 'inspect':
      return columns.map(({ name }) => (name === 'samples' ? { kind: 'samples' } : null));
    case 'aggregate':
    case 'formula':
    case 'sessions':
    case 'funnel':
    case 'retention':
    case 'choice':
    case 'attribution':
    case 'lifecycle':
    case 'stickiness':
    case 'paths': // its nodes are refused where they are ids
    case 'fields':
    case 'did':
      return ofGroups;
    case 'identities': // nobody gets them who may not see all of them
      return [];
    default:
      return unreachable(plan);
  }
}

const heldField = (field: Field): Held => ({ kind: 'field', field });

/** Of the columns that rows of events or profiles have if the query chooses none. */
function heldByName(scope: 'list' | 'users', name: string): Held {
  if (name === 'event_properties') return { kind: 'event' };
  if (name === 'user_properties') return { kind: 'sent' };
  if (name === 'properties') return { kind: 'profile' };
  const field = findField(scope === 'users' ? 'users' : 'events', name);
  return field && heldField(field);
}

/** Whether the answer does without the column. */
export function isLeftOut(held: Held, named: Personal): boolean {
  if (held === null) return false;
  if (named === 'profiles' && (held.kind === 'sent' || held.kind === 'profile')) return true;
  return held.kind === 'field' && isHidden(held, named);
}

/** Of a group, whoever sees no profiles sees what profiles have in common (`refuseProfiles`). */
export function isHidden({ field, grouped }: Held & { readonly kind: 'field' }, named: Personal): boolean {
  return !(named === 'profiles' && grouped) && isPersonal(field, named);
}

/** Whether somebody who sees no personal data sees other cells there, or none. */
export function isChanged(held: Held, named: Personal): boolean {
  if (named === 'profiles') return isLeftOut(held, named) || held?.kind === 'samples';
  return held !== null && (held.kind !== 'field' || isId(held.field) || isPersonal(held.field, named));
}
