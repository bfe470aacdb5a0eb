/** What all parts of the binder share: the text for errors, the clock, the zone, the stages. */
import { QueryError } from '../errors.ts';
import { findField, type FieldScope } from '../plan/fields.ts';
import type { Field } from '../plan/plan.ts';
import type { Stages } from './stages.ts';
import type { FieldRef, Span } from '../parse/syntax.ts';
import type { Zone } from '../time/zone.ts';
import { unknownField } from './unknown-field.ts';

export interface Binding {
  readonly query: string;
  readonly stages: Stages;
  readonly zone: Zone;
  /** Milliseconds since the epoch; ranges without an end stop here. */
  readonly now: number;
  /** Time of the earliest stored event, where `all` begins; null if there is none. */
  readonly earliest: number | null;
  readonly page: { readonly limit: number; readonly offset: number };
}

/**
 * The field of a name. Throws QueryError with the nearest known one.
 * @param words Other words allowed in its place.
 */
export function bindField(binding: Binding, ref: FieldRef, scope: FieldScope, words: readonly string[] = []): Field {
  const field = findField(scope, ref.name, ref.text.endsWith('"'));
  if (field === null) throw unknownField(binding.query, ref, scope, words);
  return field;
}

/** Stops binding with an error at the start of a span. */
export function failAt(
  binding: Pick<Binding, 'query'>,
  span: Span,
  sentence: string,
  hints: readonly string[] = [],
): never {
  throw new QueryError(binding.query, span.start, sentence, { hints });
}
