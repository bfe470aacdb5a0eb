/** Compiles a file's queries as the server will, and notes which cohorts they name. */
import { compileTree, parseQuery } from '../dsl/compile.ts';
import { QueryError } from '../dsl/errors.ts';
import { cohortsOf } from '../dsl/parse/person-tests.ts';
import type { Plan } from '../dsl/plan/plan.ts';
import { findZone } from '../dsl/time/zone.ts';
import { AppError } from '../base/errors.ts';

export interface QueryProblem {
  readonly message: string;
  /** Offset in the query. */
  readonly position: number;
}

export class QueryCompiler {
  /** Names of cohorts in the queries that were compiled, with whatever values. Whether they exist is not known here. */
  readonly cohorts = new Set<string>();
  readonly #timezone: string;

  /** @param timezone Of the dashboard. One that is unknown is reported elsewhere. */
  constructor(timezone: string | null) {
    this.#timezone = timezone !== null && findZone(timezone) !== null ? timezone : 'UTC';
  }

  /** The plan of a query, or what is wrong with it. */
  plan(q: string): Plan | QueryProblem {
    const context = { now: Date.now(), timezone: { project: this.#timezone }, limit: 100, offset: 0 };
    try {
      const tree = parseQuery(q);
      const { plan } = compileTree(q, tree, { ...context, cohorts: 'any' });
      for (const name of cohortsOf(tree)) this.cohorts.add(name);
      return plan;
    } catch (error) {
      if (error instanceof QueryError) {
        return { message: [error.sentence, ...error.hints].join('; '), position: error.position };
      }
      if (error instanceof AppError) return { message: error.message, position: 0 };
      throw error;
    }
  }

  problem(q: string): QueryProblem | null {
    const plan = this.plan(q);
    return 'position' in plan ? plan : null;
  }
}
