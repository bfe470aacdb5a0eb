/** What all parts of the binder share: the text for errors, the clock, the zone, the stages. */
import type { WeekStart } from '../../base/project.ts';
import { QueryError } from '../errors.ts';
import { bindExpression } from './bind-expression.ts';
import { fieldKey, type FieldScope, findField, FIXED_FIELDS, openPrefixes } from '../plan/fields.ts';
import type { Field } from '../plan/plan.ts';
import type { Cohorts } from './cohorts.ts';
import type { Stages } from './stages.ts';
import type { ExpressionNode, FieldNode, FieldRef, Span } from '../parse/syntax.ts';
import type { PatternCheck } from '../plan/pattern.ts';
import type { Zone } from '../time/zone.ts';
import { foreignHints } from '../parse/foreign-words.ts';
import { nearest } from '../../base/text/nearest.ts';

export interface BindingScope {
  readonly query: string;
  readonly stages: Stages;
  readonly zone: Zone;
  readonly weeks: WeekStart;
  /** Milliseconds since the epoch; ranges without an end stop here. */
  readonly now: number;
  /** Time of the earliest stored event, where `all` begins; null if there is none. */
  readonly earliest: number | null;
  readonly page: { readonly limit: number; readonly offset: number };
  readonly patterns: PatternCheck;
  readonly cohorts: Cohorts;
  /** The cohorts in whose conditions this is, from the outermost on: `query` is the text of the last one. */
  readonly reading: readonly string[];
}

/**
 * The field of a name. Throws QueryError with the nearest known one.
 * @param words Other words allowed in its place.
 */
export function bindField(
  binding: BindingScope,
  ref: FieldRef,
  scope: FieldScope,
  words: readonly string[] = [],
): Field {
  if (ref.arithmetic !== undefined) return bindArithmetic(binding, ref.arithmetic, scope);
  const field = findField(scope, ref.name, ref.text.endsWith('"'));
  if (field === null) throw unknownField(binding.query, ref, scope, words);
  return field;
}

function bindArithmetic(binding: BindingScope, node: ExpressionNode<FieldNode>, scope: FieldScope): Field {
  const fields: Field[] = [];
  const expression = bindExpression(node, (ref) => {
    const field = bindField(binding, ref, scope);
    const known = fields.findIndex((other) => fieldKey(other) === fieldKey(field));
    return known >= 0 ? known : fields.push(field) - 1;
  });
  return { kind: 'arithmetic', expression, fields };
}

/** Stops binding with an error at the start of a span. */
export function failAt(
  binding: Pick<BindingScope, 'query'>,
  span: Span,
  sentence: string,
  hints: readonly string[] = [],
): never {
  throw new QueryError(binding.query, span.start, sentence, { hints });
}

/** The error for an unknown field name, with what it may have meant. @param words Other words allowed in the field's place. */
function unknownField(query: string, ref: FieldRef, scope: FieldScope, words: readonly string[]): QueryError {
  const known = FIXED_FIELDS[scope];
  const hints: string[] = [...foreignHints.field(ref.text)];
  const meant =
    hints.length > 0 ? null : (nearest(ref.name, [...words, ...known.keys()]) ?? nearPrefix(ref.name, scope));
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
