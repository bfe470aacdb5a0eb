/** Text → plan, without any data: runs the stages of the front end in order. */
import { AppError } from '../base/errors.ts';
import { bind, type BindContext } from './bind/bind.ts';
import { notesOfPlan } from './hints/notes.ts';
import { optimize, type PassResult } from './optimize/optimize.ts';
import { parse } from './parse/parse.ts';
import type { Plan } from './plan/plan.ts';
import type { Query } from './parse/syntax.ts';

export interface Compiled {
  readonly tree: Query;
  /** What the workers run. */
  readonly plan: Plan;
  /** The plan after each step: `bind`, then each pass of the optimizer; the last one is `plan`. */
  readonly passes: readonly PassResult[];
  /** Notes that need no data. */
  readonly notes: readonly string[];
}

/** The longest query, in bytes of UTF-8. */
export const MAX_QUERY_BYTES = 16 * 1024;

/**
 * Compiles a query. Throws AppError `query_too_large`, `bad_query` with its position (QueryError, to which `withSuggestions` may
 * add what the project has), or `bad_request` for an unknown zone of the request.
 */
export function compileQuery(q: string, context: BindContext): Compiled {
  return compileTree(q, parseQuery(q), context);
}

/** The first half, which needs only the text. Throws AppError `query_too_large` and `bad_query`. */
export function parseQuery(q: string): Query {
  const bytes = Buffer.byteLength(q);
  if (bytes > MAX_QUERY_BYTES) {
    throw new AppError('query_too_large', `the query has ${bytes} bytes; the limit is ${MAX_QUERY_BYTES}`, {
      hints: ['split it into several queries'],
    });
  }
  return parse(q);
}

/** Whether the query reads `all`, and so needs to know when events begin. */
export function readsAll({ stages }: Query): boolean {
  return stages.some((stage) => stage.kind === 'range' && stage.range.kind === 'all');
}

/** The second half, from the tree of this text. */
export function compileTree(q: string, tree: Query, context: BindContext): Compiled {
  const bound = bind(q, tree, context);
  const passes = [{ name: 'bind', plan: bound }, ...optimize(bound)];
  const { plan } = passes[passes.length - 1] ?? { plan: bound };
  return { tree, plan, passes, notes: notesOfPlan(plan, bound) };
}
