/** The error for an unknown field name, with what it may have meant. */
import { QueryError } from '../errors.ts';
import { FIXED_FIELDS, openPrefixes, type FieldScope } from '../plan/fields.ts';
import { nearest } from '../parse/nearest.ts';
import type { FieldRef } from '../parse/syntax.ts';

/**
 * @param query The text of the query.
 * @param words Other words allowed in the field's place.
 */
export function unknownField(
  query: string,
  ref: FieldRef,
  scope: FieldScope,
  words: readonly string[] = [],
): QueryError {
  const known = FIXED_FIELDS[scope];
  const hints: string[] = [];
  const meant = nearest(ref.name, [...words, ...known.keys()]) ?? nearPrefix(ref.name, scope);
  if (meant !== null) hints.push(`did you mean \`${meant}\`?`);
  if (known.has(`user.${ref.name}`)) hints.push(`there is \`user.${ref.name}\``);
  const sentence = `expected a field, found \`${ref.text}\`: ${WHAT_IS_KNOWN[scope]}`;
  const bare = !ref.name.includes('.') && scope !== 'latest';
  return new QueryError(query, ref.start, sentence, {
    hints,
    ...(bare ? { unknown: { name: ref.name, prefixes: openPrefixes(scope) } } : {}),
  });
}

const WHAT_IS_KNOWN: Readonly<Record<FieldScope, string>> = {
  events: 'properties are event_properties.<key>, user_properties.<key> and user.<key>',
  choice: 'properties are event_properties.<key>, user_properties.<key> and user.<key>',
  users: '`users` knows user_id, email, email_domain, first_seen, last_seen and user.<key>',
  latest: 'after `latest` there are entity, last_value and set_at',
};

/** `event_propertys.plan` → `event_properties.plan`, `sesion.country` → `session.country`. */
function nearPrefix(name: string, scope: FieldScope): string | null {
  const dot = name.indexOf('.') + 1;
  if (dot === 0) return null;
  const closed = scope === 'events' || scope === 'choice' ? ['session.', 'user_last_session.'] : [];
  const prefix = nearest(name.slice(0, dot), [...openPrefixes(scope), ...closed]);
  if (prefix === null) return null;
  const whole = prefix + name.slice(dot);
  return closed.includes(prefix) ? nearestFixed(whole, scope) : whole;
}

function nearestFixed(name: string, scope: FieldScope): string | null {
  return FIXED_FIELDS[scope].has(name) ? name : nearest(name, FIXED_FIELDS[scope].keys());
}
