/** Conditions as data: walks and compares them. */
import { fieldKey } from './fields.ts';
import type { Condition, Field, Plan, Test } from './plan.ts';

export type FieldTest = Condition & { readonly kind: 'test' };

/** `and` or `or` of terms; a single term stays as it is. */
export function join(kind: 'and' | 'or', terms: readonly Condition[]): Condition {
  const [only] = terms;
  return terms.length === 1 && only !== undefined ? only : { kind, terms };
}

/** The conditions joined by `and`; null when there are none. */
export function joinAnd(terms: readonly Condition[]): Condition | null {
  return terms.length === 0 ? null : join('and', terms);
}

/** The condition with `change` applied to every node, from the leaves up. */
export function mapCondition(condition: Condition, change: (condition: Condition) => Condition): Condition {
  if ('terms' in condition)
    return change({ kind: condition.kind, terms: condition.terms.map((term) => mapCondition(term, change)) });
  return change('term' in condition ? { kind: 'not', term: mapCondition(condition.term, change) } : condition);
}

/** The tests in a condition, from left to right. */
export function testsOf(condition: Condition | null): readonly FieldTest[] {
  if (condition === null || condition.kind === 'constant') return [];
  if ('terms' in condition) return condition.terms.flatMap(testsOf);
  return condition.kind === 'not' ? testsOf(condition.term) : [condition];
}

/** The plan with `change` applied to each of its conditions as a whole; null: the condition is left out. */
export function mapConditions(plan: Plan, change: (condition: Condition) => Condition | null): Plan {
  const apply = (condition: Condition | null): Condition | null => (condition === null ? null : change(condition));
  const where = apply(plan.where);
  switch (plan.kind) {
    case 'latest':
    case 'sessions':
      return { ...plan, where, having: apply(plan.having) };
    case 'funnel':
      return { ...plan, where, steps: plan.steps.map((step) => ({ ...step, where: apply(step.where) })) };
    default:
      return { ...plan, where };
  }
}

export function isTestOf(condition: Condition, field: Field): condition is FieldTest {
  return condition.kind === 'test' && fieldKey(condition.field) === fieldKey(field);
}

/** The same for conditions written alike. */
export function conditionKey(condition: Condition): string {
  return JSON.stringify(condition);
}

/** Whether the test can only pass where the field exists: present, not null, not "". */
export function impliesExists(test: Test): boolean {
  switch (test.op) {
    case 'exists':
      return true;
    case 'equals':
      return test.literal.value !== '';
    case 'in':
      return test.literals.every((literal) => literal.value !== '');
    case 'compare':
      return test.literal.type !== 'string' || test.sign === '>' || (test.sign === '>=' && test.literal.value !== '');
    case 'contains':
      return test.text !== '';
    case 'matches':
      return false;
  }
}
