/** Saved cohorts, as a query that names them has them. */
import type { KnownCohorts } from '../../base/cohorts.ts';
import { QueryError } from '../errors.ts';
import { parseWhere } from '../parse/parse-condition.ts';
import { personTestsIn } from '../parse/person-tests.ts';
import type { ConditionNode } from '../parse/syntax.ts';

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
