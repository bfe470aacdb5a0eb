/** `a = 1 or a = 2 or a in (3)` → `a in (1, 2, 3)`: one look-up instead of several tests. A list of one becomes `=`. */
import { join, type FieldTest } from '../plan/conditions.ts';
import { fieldKey } from '../plan/fields.ts';
import type { Condition, Literal } from '../plan/plan.ts';
import { conditionPass } from './pass.ts';

export const mergeEqualsIntoIn = conditionPass('merge-equals-into-in', merge);

function merge(condition: Condition): Condition {
  switch (condition.kind) {
    case 'or':
      return join('or', mergeTerms(condition.terms));
    case 'test':
      return literalsOf(condition) === null ? condition : among(condition, literalsOf(condition) ?? []);
    case 'and':
    case 'not':
    case 'constant':
      return condition;
  }
}

/** The first test of a field absorbs the later ones. */
function mergeTerms(terms: readonly Condition[]): Condition[] {
  const merged = new Map<string, { readonly first: Condition; readonly literals: Literal[] }>();
  for (const [index, term] of terms.entries()) {
    const literals = literalsOf(term);
    const key = term.kind === 'test' && literals !== null ? fieldKey(term.field) : `other ${index}`;
    const before = merged.get(key);
    if (before === undefined) {
      merged.set(key, { first: term, literals: [...(literals ?? [])] });
    } else {
      before.literals.push(...(literals ?? []));
    }
  }
  return [...merged.values()].map(({ first, literals }) =>
    first.kind === 'test' && literals.length > 0 ? among(first, literals) : first,
  );
}

/** The values that the condition allows a field to equal, or null if it is another kind of test. */
function literalsOf(condition: Condition): readonly Literal[] | null {
  if (condition.kind !== 'test') return null;
  const { test } = condition;
  return test.op === 'equals' ? [test.literal] : test.op === 'in' ? test.literals : null;
}

function among({ kind, field }: FieldTest, literals: readonly Literal[]): Condition {
  const distinct = [...new Map(literals.map((literal) => [JSON.stringify(literal), literal])).values()];
  const [only] = distinct;
  return distinct.length === 1 && only !== undefined
    ? { kind, field, test: { op: 'equals', literal: only } }
    : { kind, field, test: { op: 'in', literals: distinct } };
}
