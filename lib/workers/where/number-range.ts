/** Tests of numbers as ranges of them, which primitives run. */
import type { PlanLiteral, Test } from '../../dsl/plan/plan.ts';

/** Both ends pass. */
export interface NumberRange {
  readonly least: number;
  readonly most: number;
}

/** The numbers that pass a test; null if they are no range. */
export function numberRange(test: Test): NumberRange | null {
  if (test.op === 'exists') return { least: -Infinity, most: Infinity };
  if (test.op !== 'equals' && test.op !== 'compare') return null;
  const value = numberOf(test.literal);
  if (value === null) return null;
  if (test.op === 'equals') return { least: value, most: value };
  switch (test.sign) {
    case '>':
      return { least: next(value, 1), most: Infinity };
    case '>=':
      return { least: value, most: Infinity };
    case '<':
      return { least: -Infinity, most: next(value, -1) };
    case '<=':
      return { least: -Infinity, most: value };
  }
}

/** A whole number beyond 2^53 is compared by its digits. */
function numberOf(literal: PlanLiteral): number | null {
  if (literal.type === 'time') return literal.value;
  return literal.type === 'number' && literal.digits === undefined ? literal.value : null;
}

/** The float beside a finite one. */
function next(value: number, direction: 1 | -1): number {
  if (value === 0) return direction * Number.MIN_VALUE;
  const float = Float64Array.of(value);
  new BigInt64Array(float.buffer)[0]! += BigInt(value > 0 ? direction : -direction);
  return float[0]!;
}
