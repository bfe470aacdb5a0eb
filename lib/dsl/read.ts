/** A query's text → what a service needs to answer it: plain data, since long texts are read in another thread. */
import type { BindContext } from './bind/bind.ts';
import { compileTree, parseQuery, readsAll } from './compile.ts';
import { explain } from './explain.ts';
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

/** `asks_earliest`: the query reads `all`, and its `earliest` was left out. */
export type Read = ReadQuery | { readonly kind: 'asks_earliest' };

/**
 * Reads a query. Throws AppError `query_too_large`, `bad_query` with its position (QueryError, to which `withSuggestions` may
 * add what the project has), or `bad_request` for an unknown zone of the request.
 */
export function readQuery({ q, explain: isExplained, ...context }: QueryText): Read {
  const tree = parseQuery(q);
  if (context.earliest === undefined && readsAll(tree)) return { kind: 'asks_earliest' };
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
