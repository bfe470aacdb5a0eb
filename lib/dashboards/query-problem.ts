/** Compiles a file's queries as the server will. */
import { compileQuery } from '../dsl/compile.ts';
import { QueryError } from '../dsl/errors.ts';
import type { Plan } from '../dsl/plan/plan.ts';
import { findZone } from '../dsl/time/zone.ts';
import { AppError } from '../base/errors.ts';

export interface QueryProblem {
  readonly message: string;
  /** Offset in the query. */
  readonly position: number;
}

/** The plan of a query, or what is wrong with it. Unknown zones are reported elsewhere. */
export function planOf(q: string, timezone: string | null): Plan | QueryProblem {
  const project = timezone !== null && findZone(timezone) !== null ? timezone : 'UTC';
  try {
    return compileQuery(q, { now: Date.now(), timezone: { project }, limit: 100, offset: 0 }).plan;
  } catch (error) {
    if (error instanceof QueryError) {
      return { message: [error.sentence, ...error.hints].join('; '), position: error.position };
    }
    if (error instanceof AppError) return { message: error.message, position: 0 };
    throw error;
  }
}

export function compileProblem(q: string, timezone: string | null): QueryProblem | null {
  const plan = planOf(q, timezone);
  return 'position' in plan ? plan : null;
}
