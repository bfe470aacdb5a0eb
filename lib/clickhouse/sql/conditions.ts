/** A condition in SQL: true or false of every row, never NULL. A missing value fails every test, and `not` negates. */
import type { Condition, Field, Literal, Test } from '../../dsl/plan/plan.ts';
import { unreachable } from '../../base/unreachable.ts';
import { all, any, FALSE, number, sql, text, TRUE, whole, type Sql } from './statement.ts';
import type { Value } from './values.ts';

export type ReadField = (field: Field) => Value;

/** @param condition null: every row. */
export function conditionSql(condition: Condition | null, read: ReadField): Sql {
  switch (condition?.kind) {
    case undefined:
      return TRUE;
    case 'constant':
      return condition.value ? TRUE : FALSE;
    case 'and':
      return all(condition.terms.map((term) => conditionSql(term, read)));
    case 'or':
      return any(condition.terms.map((term) => conditionSql(term, read)));
    case 'not':
      return sql`NOT (${conditionSql(condition.term, read)})`;
    case 'test':
      return testSql(condition.test, read(condition.field));
  }
}

function testSql(test: Test, value: Value): Sql {
  switch (test.op) {
    case 'exists':
      return value.exists;
    case 'equals':
      return isLiteral([test.literal], value);
    case 'in':
      return isLiteral(test.literals, value);
    case 'compare':
      return compareSql(test.sign, test.literal, value);
    case 'contains':
      return orFalse(sql`position(${value.text}, ${text(test.text)}) > 0`);
    case 'matches':
      // ClickHouse lets a dot match a line's end, RE2 does not.
      return orFalse(sql`match(${value.text}, ${text(`(?-s)${test.pattern}`)})`);
    default:
      return unreachable(test);
  }
}

function isLiteral(literals: readonly Literal[], value: Value): Sql {
  const words = literals.flatMap(({ type, value: word }) => {
    if (type === 'boolean') return word ? ['true', '1'] : ['false', '0'];
    return type === 'string' ? [word] : [];
  });
  const figures = literals.flatMap((literal) =>
    literal.type === 'number' || literal.type === 'time' ? [literal.value] : [],
  );
  return any([
    ...(words.length > 0 ? [value.isText(words)] : []),
    ...(figures.length > 0 ? [value.isNumber(figures)] : []),
  ]);
}

function compareSql(sign: '>' | '>=' | '<' | '<=', literal: Literal, value: Value): Sql {
  const compare = SIGNS[sign];
  switch (literal.type) {
    case 'string':
      return orFalse(compare(value.text, text(literal.value)));
    case 'number':
      return orFalse(compare(value.number, number(literal.value)));
    case 'time':
      // Half a millisecond, and what lies beyond all times, are written as numbers in the query, and are no whole ones.
      if (Number.isFinite(literal.value) && !Number.isSafeInteger(literal.value)) {
        return orFalse(compare(value.number, number(literal.value)));
      }
      return orFalse(compare(value.group.key, whole(literal.value)));
    case 'boolean':
      throw new Error('booleans have no order: binding refuses them');
    default:
      return unreachable(literal);
  }
}

const SIGNS: Readonly<Record<'>' | '>=' | '<' | '<=', (a: Sql, b: Sql) => Sql>> = {
  '>': (a, b) => sql`${a} > ${b}`,
  '>=': (a, b) => sql`${a} >= ${b}`,
  '<': (a, b) => sql`${a} < ${b}`,
  '<=': (a, b) => sql`${a} <= ${b}`,
};

/** NULL, where the value is missing, is false. */
const orFalse = (passes: Sql): Sql => sql`ifNull(${passes}, 0)`;
