/** Whether a condition is true of a row, never unknown: a missing field fails every test, and `not` negates. */
import { RE2JS } from 're2js';
import type { ConditionOn, Field, PlanLiteral, Test } from '../../lib/dsl/plan/plan.ts';
import { unreachable } from '../../lib/base/unreachable.ts';
import { compareText, exists, Instant, isMissing, numberOf, textOf, type Value } from './value.ts';

/** Reads a field of a row. */
export type Reader = (field: Field) => Value;

export function holds<F>(condition: ConditionOn<F> | null, read: (field: F) => Value): boolean {
  if (condition === null) return true;
  switch (condition.kind) {
    case 'constant':
      return condition.value;
    case 'and':
      return condition.terms.every((term) => holds(term, read));
    case 'or':
      return condition.terms.some((term) => holds(term, read));
    case 'not':
      return !holds(condition.term, read);
    case 'test':
      return passes(condition.test, read(condition.field));
    default:
      return unreachable(condition);
  }
}

function passes(test: Test, value: Value): boolean {
  if (isMissing(value)) return false;
  switch (test.op) {
    case 'exists':
      return exists(value);
    case 'equals':
      return equals(value, test.literal);
    case 'in':
      return test.literals.some((literal) => equals(value, literal));
    case 'compare':
      return signHolds(test.sign, difference(value, test.literal));
    case 'contains':
      return textOf(value).includes(test.text);
    case 'starts with':
      return textOf(value).startsWith(test.text);
    case 'ends with':
      return textOf(value).endsWith(test.text);
    case 'has': {
      const { literal } = test;
      if (!Array.isArray(value)) return equals(value, literal);
      return value.some((element) => !isMissing(element) && equals(element, literal));
    }
    case 'matches':
      return RE2JS.compile(test.pattern).matcher(textOf(value)).find();
    default:
      return unreachable(test);
  }
}

function equals(value: Value, literal: PlanLiteral): boolean {
  switch (literal.type) {
    case 'string':
      return textOf(value) === literal.value;
    case 'number':
      return literal.digits !== undefined && typeof value === 'string' && /^[+-]?\d+$/.test(value)
        ? BigInt(value) === BigInt(literal.digits)
        : numberOf(value) === literal.value;
    case 'boolean':
      return (literal.value ? [true, 1, 'true', '1'] : [false, 0, 'false', '0']).some((one) => one === value);
    case 'time':
      return value instanceof Instant && value.ms === literal.value;
    default:
      return unreachable(literal);
  }
}

/** Negative, zero or positive; null if the two cannot be compared. */
function difference(value: Value, literal: PlanLiteral): number | null {
  switch (literal.type) {
    case 'string':
      return compareText(textOf(value), literal.value);
    case 'number': {
      const number = numberOf(value);
      return number === null ? null : Math.sign(number - literal.value);
    }
    case 'time':
      return value instanceof Instant ? Math.sign(value.ms - literal.value) : null;
    case 'boolean':
      throw new Error('a plan orders nothing by a boolean');
    default:
      return unreachable(literal);
  }
}

function signHolds(sign: '>' | '>=' | '<' | '<=', difference: number | null): boolean {
  if (difference === null) return false;
  switch (sign) {
    case '>':
      return difference > 0;
    case '>=':
      return difference >= 0;
    case '<':
      return difference < 0;
    case '<=':
      return difference <= 0;
    default:
      return unreachable(sign);
  }
}
