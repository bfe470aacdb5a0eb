/** Fields of a row that are computed of others. */
import type { Field } from '../../lib/dsl/plan/plan.ts';
import { holds, type Reader } from './condition.ts';
import { evaluate } from './evaluate.ts';
import { numberOf } from './value.ts';

/** Reads arithmetic as a number, missing where an operand is none or the result is not finite, and who is in a cohort as a text. */
export function withComputed(read: Reader): Reader {
  return (field: Field) => {
    if (field.kind === 'cohort') return holds(field.condition, withComputed(read)) ? 'in' : 'out';
    if (field.kind !== 'arithmetic') return read(field);
    const operands = field.fields.map((operand) => numberOf(read(operand)));
    const value = evaluate(field.expression, operands);
    return value === null ? undefined : value + 0; // -0 is 0
  };
}
