/** Passes that make conditions smaller. */
import { conditionKey, impliesExists, join } from '../plan/conditions.ts';
import type { Condition } from '../plan/plan.ts';
import { conditionPass } from './pass.ts';
import { fieldKey } from '../plan/fields.ts';

/** `a and (b and c)` → `a and b and c`; `not not a` → `a`. */
export const flattenConditions = conditionPass('flatten-conditions', flatten);

function flatten(condition: Condition): Condition {
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const { kind } = condition;
      return join(
        kind,
        condition.terms.flatMap((term) => (term.kind === kind ? term.terms : [term])),
      );
    }
    case 'not':
      return condition.term.kind === 'not' ? condition.term.term : condition;
    case 'test':
    case 'constant':
      return condition;
  }
}

/** `a = 1 and a exists` → `a = 1`; duplicates occur once. */
export const dropRedundant = conditionPass('drop-redundant', drop);

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

/** `a = "x" and a = "y"` and `c and not c` → false; `c or not c` → true. */
export const findContradictions = conditionPass('find-contradictions', find);

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
