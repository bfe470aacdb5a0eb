/** `a and true` → `a`, `a or true` → true, a condition that is always true → none. */
import { join, mapCondition, mapConditions } from '../plan/conditions.ts';
import type { Condition } from '../plan/plan.ts';
import type { Pass } from './pass.ts';

export const foldConstants: Pass = {
  name: 'fold-constants',
  run: (plan) => mapConditions(plan, (condition) => noneIfTrue(mapCondition(condition, fold))),
};

function fold(condition: Condition): Condition {
  switch (condition.kind) {
    case 'and':
      return foldJoined('and', condition.terms, false);
    case 'or':
      return foldJoined('or', condition.terms, true);
    case 'not':
      return condition.term.kind === 'constant' ? { kind: 'constant', value: !condition.term.value } : condition;
    case 'test':
    case 'constant':
      return condition;
  }
}

/** @param deciding The value with which one term decides the whole. */
function foldJoined(kind: 'and' | 'or', terms: readonly Condition[], deciding: boolean): Condition {
  if (terms.some((term) => term.kind === 'constant' && term.value === deciding)) {
    return { kind: 'constant', value: deciding };
  }
  const open = terms.filter((term) => term.kind !== 'constant');
  return open.length === 0 ? { kind: 'constant', value: !deciding } : join(kind, open);
}

function noneIfTrue(condition: Condition): Condition | null {
  return condition.kind === 'constant' && condition.value ? null : condition;
}
