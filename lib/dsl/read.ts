/** A query's text → what a service needs to answer it: plain data, since long texts are read in another thread. */
import type { BindContext } from './bind/bind.ts';
import { compileTree, parseQuery, readsAll } from './compile.ts';
import { explain } from './explain.ts';
import { cohortsOf } from './parse/person-tests.ts';
import type { Plan } from './plan/plan.ts';
import { queryShape } from './shape.ts';

export interface QueryText extends BindContext {
  readonly q: string;
  /** Whether the answer is to say how the query was read. */
  readonly explain: boolean;
}

export interface ReadQuery {
  readonly kind: 'read';
  /** What the workers run. */
  readonly plan: Plan;
  /** Notes that need no data. */
  readonly notes: readonly string[];
  /** For the log. */
  readonly shape: string;
  /** JSON of its tree, its plan and the passes of the optimizer; null unless asked for. */
  readonly explained: string | null;
}

/** `asks_earliest`: the query reads `all`, and its `earliest` was left out. `asks_cohorts`: it names these, and `cohorts` was. */
export type Read =
  ReadQuery | { readonly kind: 'asks_earliest' } | { readonly kind: 'asks_cohorts'; readonly names: readonly string[] };

/**
 * Reads a query. Throws AppError `query_too_large`, `bad_query` with its position (QueryError, to which `withSuggestions` may
 * add what the project has), or `bad_request` for an unknown zone of the request.
 */
export function readQuery({ q, explain: isExplained, ...context }: QueryText): Read {
  const tree = parseQuery(q);
  if (context.earliest === undefined && readsAll(tree)) return { kind: 'asks_earliest' };
  const cohorts = context.cohorts === undefined ? cohortsOf(tree) : [];
  if (cohorts.length > 0) return { kind: 'asks_cohorts', names: cohorts };
  const compiled = compileTree(q, tree, context);
  const { plan, notes } = compiled;
  return {
    kind: 'read',
    plan,
    notes,
    shape: queryShape(tree),
    explained: isExplained ? JSON.stringify(explain(compiled)) : null,
  };
}
