/** Arithmetic over the fields of a row. */
import type { Field } from '../../lib/dsl/plan/plan.ts';
import type { Reader } from './condition.ts';
import { evaluate } from './evaluate.ts';
import { numberOf } from './value.ts';

/** Reads what is computed of other fields as a number; missing where one of them is none, or the result is not finite. */
export function withArithmetic(read: Reader): Reader {
  return (field: Field) => {
    if (field.kind !== 'arithmetic') return read(field);
    const operands = field.fields.map((operand) => numberOf(read(operand)));
    const value = evaluate(field.expression, operands);
    return value === null ? undefined : value + 0; // -0 is 0
  };
}
