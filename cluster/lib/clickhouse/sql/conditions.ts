/** A condition in SQL: true or false of every row, never NULL. A missing value fails every test, and `not` negates. */
import { type Condition, type Field, type PlanLiteral, type Test, unreachable } from '../../../../lib/seam.ts';
import { all, any, FALSE, number, sql, text, TRUE, whole, type Sql } from './statement.ts';
import { filledColumn, isOneOf, jsonValue, type Value } from './values.ts';

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

/** Who is in a cohort: `in` or `out`. */
export function cohortValue({ condition }: Field & { readonly kind: 'cohort' }, read: ReadField): Value {
  return filledColumn(sql`if(${conditionSql(condition, read)}, 'in', 'out')`);
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
    case 'starts with':
      return orFalse(sql`startsWith(${value.text}, ${text(test.text)})`);
    case 'ends with':
      return orFalse(sql`endsWith(${value.text}, ${text(test.text)})`);
    case 'has':
      return hasSql(test.literal, value);
    case 'matches':
      // ClickHouse lets a dot match a line's end, RE2 does not.
      return orFalse(sql`match(${value.text}, ${text(`(?-s)${test.pattern}`)})`);
    default:
      return unreachable(test);
  }
}

/** An array by its elements, any other value as it is. */
function hasSql(literal: PlanLiteral, value: Value): Sql {
  const json = sql`ifNull(${value.json}, '')`;
  const inArray = sql`arrayExists(raw -> ${isLiteral([literal], jsonValue(sql`raw`))}, JSONExtractArrayRaw(${json}))`;
  return sql`if(startsWith(${json}, '['), ${inArray}, ${isLiteral([literal], value)})`;
}

function isLiteral(literals: readonly PlanLiteral[], value: Value): Sql {
  const words = literals.flatMap(({ type, value: word }) => {
    if (type === 'boolean') return word ? ['true', '1'] : ['false', '0'];
    return type === 'string' ? [word] : [];
  });
  const figures: number[] = [];
  const long: LongNumber[] = [];
  for (const literal of literals) {
    if (literal.type === 'number' && literal.digits !== undefined)
      long.push({ value: literal.value, digits: literal.digits });
    else if (literal.type === 'number' || literal.type === 'time') figures.push(literal.value);
  }
  return any([
    ...(words.length > 0 ? [value.isText(words)] : []),
    ...(figures.length > 0 ? [value.isNumber(figures)] : []),
    ...(long.length > 0 ? [isLongNumber(long, value)] : []),
  ]);
}

/** A literal that is a whole number beyond 2^53. */
interface LongNumber {
  readonly value: number;
  readonly digits: string;
}

/** Where a text spells a whole number, its digits decide, as a float does not hold all of those beyond 2^53. */
function isLongNumber(wanted: readonly LongNumber[], value: Value): Sql {
  const plain = sql`ifNull(${value.text}, '')`;
  const isWhole = sql`startsWith(ifNull(${value.json}, ''), '"') AND match(${plain}, '^[+-]?[0-9]+$')`;
  const digits = sql`replaceRegexpOne(${plain}, '^(?:[+]|(-))?0*', '\\\\1')`;
  const isSame = isOneOf(digits, wanted.map((literal) => literal.digits)); // prettier-ignore
  return all([value.isNumber(wanted.map((literal) => literal.value)), sql`if(${isWhole}, ${isSame}, 1)`]);
}

function compareSql(sign: '>' | '>=' | '<' | '<=', literal: PlanLiteral, value: Value): Sql {
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
