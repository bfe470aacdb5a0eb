/** `a = "x" and a = "y"` and `c and not c` → false; `c or not c` → true. */
import { conditionKey, mapCondition, mapConditions } from '../plan/conditions.ts';
import { fieldKey } from '../plan/fields.ts';
import type { Condition } from '../plan/plan.ts';
import type { Pass } from './pass.ts';

export const findContradictions: Pass = {
  name: 'find-contradictions',
  run: (plan) => mapConditions(plan, (condition) => mapCondition(condition, find)),
};

function find(condition: Condition): Condition {
  if (condition.kind !== 'and' && condition.kind !== 'or') return condition;
  const { kind, terms } = condition;
  return hasOpposites(terms) || (kind === 'and' && hasTwoValues(terms))
    ? { kind: 'constant', value: kind === 'or' }
    : condition;
}

function hasOpposites(terms: readonly Condition[]): boolean {
  const keys = new Set(terms.map(conditionKey));
  return terms.some((term) => term.kind === 'not' && keys.has(conditionKey(term.term)));
}

/**
 * Whether one field would have to equal two literals that no value can equal at once. 42 and "42.0" can be one value, as can
 * true and 1: only literals of one type exclude each other.
 */
function hasTwoValues(terms: readonly Condition[]): boolean {
  const wanted = new Map<string, string | number | boolean>();
  for (const term of terms) {
    if (term.kind === 'test' && term.test.op === 'equals') {
      const { type, value } = term.test.literal;
      const key = `${type} ${fieldKey(term.field)}`;
      if (wanted.has(key) && wanted.get(key) !== value) return true;
      wanted.set(key, value);
    }
  }
  return false;
}
