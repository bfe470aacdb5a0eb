/** Arithmetic in SQL: NULL where an operand is none, and where the result is not finite. */
import { type Field, type FormulaNode, unreachable } from '../../../../lib/seam.ts';
import type { ReadField } from './conditions.ts';
import { number, sql, type Sql } from './statement.ts';
import { isOneNumber, isOneOf, textOfNumber, type Value } from './values.ts';

export function arithmeticValue(
  { expression, fields }: Field & { readonly kind: 'arithmetic' },
  read: ReadField,
): Value {
  const operands = fields.map((field) => sql`toFloat64(${read(field).number})`);
  const computed = evaluate(expression, operands);
  const text = sql`if(${computed} IS NULL, NULL, ${textOfNumber(computed)})`;
  return {
    text,
    number: computed,
    present: sql`${computed} IS NOT NULL`,
    exists: sql`${computed} IS NOT NULL`,
    json: text,
    isText: (wanted) => sql`ifNull(${isOneOf(text, wanted)}, 0)`,
    isNumber: (wanted) => isOneNumber(computed, wanted),
    group: { key: text, kind: 'text' },
  };
}

function evaluate(node: FormulaNode, operands: readonly Sql[]): Sql {
  switch (node.kind) {
    case 'number':
      return Number.isFinite(node.value) ? sql`toNullable(${number(node.value)})` : NONE;
    case 'operand':
      return operands[node.index]!;
    case 'negate':
      return sql`(0 - ${evaluate(node.term, operands)})`;
    case 'binary':
      return finite(OPERATIONS[node.op](evaluate(node.left, operands), evaluate(node.right, operands)));
    default:
      return unreachable(node);
  }
}

const NONE = sql`CAST(NULL, 'Nullable(Float64)')`;

/** What is infinite is none from there on, so that nothing is divided by it. */
const finite = (value: Sql): Sql => sql`nullIf(nullIf(${value}, inf), -inf)`;

const OPERATIONS: Readonly<Record<'+' | '-' | '*' | '/', (left: Sql, right: Sql) => Sql>> = {
  '+': (left, right) => sql`(${left} + ${right})`,
  '-': (left, right) => sql`(${left} - ${right})`,
  '*': (left, right) => sql`(${left} * ${right})`,
  '/': (left, right) => sql`(${left} / nullIf(${right}, 0))`,
};
