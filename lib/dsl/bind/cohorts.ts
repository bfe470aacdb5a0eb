/** Saved cohorts: what a query that names them means, with all that their own conditions name. */
import { MAX_COHORT_DEPTH } from '../../base/cohort-rules.ts';
import { nearest } from '../../base/text/nearest.ts';
import { QueryError } from '../errors.ts';
import { quote } from '../parse/lex-string.ts';
import { parseWhere } from '../parse/parse-condition.ts';
import { personTestsIn } from '../parse/person-tests.ts';
import type { CohortNode, ConditionNode } from '../parse/syntax.ts';
import { storedFields } from '../plan/fields.ts';
import type { Condition, Field } from '../plan/plan.ts';
import { failAt, type BindingScope } from './binding.ts';

/** Names that an error lists. */
const MOST_LISTED = 20;

/** What is known of a project's cohorts. */
export interface KnownCohorts {
  /** Of all of them. */
  readonly names: readonly string[];
  /** The conditions, by name, of those that a query names, and of those that these name. */
  readonly conditions: ReadonlyMap<string, string>;
}

interface Weight {
  readonly dids: number;
  readonly tests: number;
}

const NOTHING: Weight = { dids: 0, tests: 0 };

export class Cohorts {
  readonly #known: KnownCohorts | 'any';
  readonly #read = new Map<string, ConditionNode>();
  readonly #weights = new Map<string, Weight>();

  /** @param known `any`: every name is one, of whose persons nothing is known, as where a query is only checked. */
  constructor(known: KnownCohorts | 'any') {
    this.#known = known;
  }

  get areAny(): boolean {
    return this.#known === 'any';
  }

  get names(): readonly string[] {
    return this.#known === 'any' ? [] : this.#known.names;
  }

  /** null: there is none of this name. */
  text(name: string): string | null {
    return this.#known === 'any' ? null : (this.#known.conditions.get(name) ?? null);
  }

  /** Throws QueryError in its own text. */
  condition(name: string, text: string): ConditionNode {
    const known = this.#read.get(name);
    if (known !== undefined) return known;
    const condition = parseWhere(text);
    this.#read.set(name, condition);
    return condition;
  }

  /** How many conditions `did`, and how many in all, stand in the place of a name. What cannot be read has none. */
  weight(name: string): Weight {
    const known = this.#weights.get(name);
    if (known !== undefined) return known;
    this.#weights.set(name, NOTHING); // until it is known: a circle is told when it is bound
    const text = this.text(name);
    const weight = text === null ? NOTHING : this.#weigh(name, text);
    this.#weights.set(name, weight);
    return weight;
  }

  #weigh(name: string, text: string): Weight {
    try {
      const condition = this.condition(name, text);
      return personTestsIn(condition).reduce(
        (sum, test) => {
          const { dids, tests } = test.kind === 'did' ? { dids: 1, tests: 0 } : this.weight(test.cohort.value);
          return { dids: sum.dids + dids, tests: sum.tests + tests };
        },
        { dids: 0, tests: countTests(condition) },
      );
    } catch (error) {
      if (error instanceof QueryError) return NOTHING;
      throw error;
    }
  }
}

function countTests(node: ConditionNode): number {
  if ('terms' in node) return node.terms.reduce((sum, term) => sum + countTests(term), 0);
  if (node.kind === 'not') return countTests(node.term);
  return 1 + (node.kind === 'did' && node.where !== null ? countTests(node.where) : 0);
}

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
  const listed = names.slice(0, MOST_LISTED).map(quote).join(', ');
  return [`there are ${listed}${names.length > MOST_LISTED ? ' …' : ''}`];
}

/** Throws QueryError for a field that is not of a person. */
export function refuseOtherFields(binding: BindingScope, at: { readonly start: number; readonly end: number }, field: Field): void {
  if (storedFields(field).every(({ kind }) => OF_PERSONS.includes(kind))) return;
  failAt(binding, at, 'expected a field of persons: a cohort takes `user.…`, `user_last_session.…`, `did(…)` and `cohort "…"`', [
    'what events have stands in brackets: `did(purchase[event_properties.amount > 10])`',
  ]); // prettier-ignore
}

const OF_PERSONS: readonly Field['kind'][] = ['profile', 'account', 'last_session'];
