/** `a = 1 and a exists` → `a = 1`; duplicates occur once. */
import { conditionKey, impliesExists, join, mapCondition, mapConditions } from '../plan/conditions.ts';
import { fieldKey } from '../plan/fields.ts';
import type { Condition } from '../plan/plan.ts';
import type { Pass } from './pass.ts';

export const dropRedundant: Pass = {
  name: 'drop-redundant',
  run: (plan) => mapConditions(plan, (condition) => mapCondition(condition, drop)),
};

function drop(condition: Condition): Condition {
  if (condition.kind !== 'and' && condition.kind !== 'or') return condition;
  const { kind } = condition;
  const once = [...new Map(condition.terms.map((term) => [conditionKey(term), term])).values()];
  return join(kind, kind === 'or' ? once : withoutImplied(once));
}

/** Drops terms that only require a field to exist which another term needs anyway. */
function withoutImplied(terms: readonly Condition[]): readonly Condition[] {
  const needed = new Set<string>();
  for (const term of terms) {
    if (term.kind === 'test' && term.test.op !== 'exists' && impliesExists(term.test)) needed.add(fieldKey(term.field));
  }
  return terms.filter((term) => term.kind !== 'test' || term.test.op !== 'exists' || !needed.has(fieldKey(term.field)));
}
