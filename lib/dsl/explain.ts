/** Shows what became of a query: its tree, the plan after binding, what each pass changed, the plan that runs. */
import type { Compiled } from './compile.ts';
import type { Plan } from './plan/plan.ts';
import { printPlan } from './hints/print-plan.ts';
import type { Query } from './parse/syntax.ts';

export interface Explained {
  readonly tree: Query;
  readonly plan: Plan;
  /** `plan` as lines of text; for a pass, only if it changed something. */
  readonly passes: readonly { readonly name: string; readonly changed: boolean; readonly plan: readonly string[] }[];
}

/** For the `plan` part of an explained answer: plain JSON. */
export function explain(compiled: Compiled): Explained {
  let before: string | null = null;
  const passes = compiled.passes.map(({ name, plan }) => {
    const lines = printPlan(plan);
    const changed = lines.join('\n') !== before;
    before = lines.join('\n');
    return { name, changed, plan: changed ? lines : [] };
  });
  return { tree: compiled.tree, plan: compiled.plan, passes };
}
