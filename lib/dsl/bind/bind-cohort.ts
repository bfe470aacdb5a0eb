/** `cohort "buyers"`: the saved condition in the place of its name. */
import { MAX_COHORT_DEPTH } from '../../base/cohorts.ts';
import { nearest } from '../../base/text/nearest.ts';
import { QueryError } from '../errors.ts';
import { quote } from '../parse/lex-string.ts';
import type { CohortNode, ConditionNode, Span } from '../parse/syntax.ts';
import { storedFields } from '../plan/fields.ts';
import type { Condition, Field } from '../plan/plan.ts';
import { failAt, type BindingScope } from './binding.ts';
import { MOST_TOLD } from '../../base/text/shown.ts';

/**
 * The condition that stands behind a name. Throws QueryError at the name, whatever is wrong.
 * @param bindWhere Binds a condition in the scope of its text.
 */
export function bindCohort(
  binding: BindingScope,
  { cohort }: CohortNode,
  bindWhere: (own: BindingScope, node: ConditionNode) => Condition,
): Condition {
  const { cohorts, reading } = binding;
  if (cohorts.areAny) return { kind: 'constant', value: true };
  const name = cohort.value;
  const text = cohorts.text(name);
  if (text === null) return failAt(binding, cohort, 'expected a saved cohort', hintsOf(name, cohorts.names));
  if (reading.includes(name)) {
    const circle = [...reading.slice(reading.indexOf(name)), name].map(quote).join(' → ');
    return failAt(binding, cohort, `expected a cohort that does not lead back to itself: ${circle}`);
  }
  if (reading.length >= MAX_COHORT_DEPTH) {
    const path = [...reading, name].map(quote).join(' → ');
    return failAt(binding, cohort, `expected cohorts in each other at most ${MAX_COHORT_DEPTH} deep: ${path}`);
  }
  try {
    return bindWhere({ ...binding, query: text, reading: [...reading, name] }, cohorts.condition(name, text));
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    return failAt(binding, cohort, `expected a cohort that can be read here; in ${quote(name)}: ${error.sentence}`, error.hints); // prettier-ignore
  }
}

function hintsOf(name: string, names: readonly string[]): readonly string[] {
  const meant = nearest(name, names);
  if (meant !== null) return [`did you mean ${quote(meant)}?`];
  if (names.length === 0) return ['the project has none: `wl cohort save` and PUT /cohorts/{name} save one'];
  const listed = names.slice(0, MOST_TOLD).map(quote).join(', ');
  return [`there are ${listed}${names.length > MOST_TOLD ? ' …' : ''}`];
}

/** Throws QueryError for a field that is not of a person. */
export function refuseOtherFields(binding: BindingScope, at: Span, field: Field): void {
  if (storedFields(field).every(({ kind }) => OF_PERSONS.includes(kind))) return;
  failAt(binding, at, 'expected a field of people: a cohort takes `user.…`, `user_last_session.…`, `did(…)` and `cohort "…"`', [
    'what events have stands in brackets: `did(purchase[event_properties.amount > 10])`',
  ]); // prettier-ignore
}

const OF_PERSONS: readonly Field['kind'][] = ['profile', 'account', 'last_session'];
