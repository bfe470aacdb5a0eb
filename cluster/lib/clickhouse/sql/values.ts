/**
 * What a field is in SQL: its text, its number, whether it is there. Mirrors lib/dsl/plan/value.ts, which says what values mean.
 * No condition here is ever NULL.
 */
import type { Zone } from '../../../../lib/seam.ts';
import { all, any, FALSE, numbers, sql, text, texts, whole, type Sql } from './statement.ts';
import { timeText, type Span } from './times.ts';

export interface Value {
  /** NULL where the value is missing. */
  readonly text: Sql;
  /** The number that it is or spells; NULL where it is neither. Of a time, milliseconds. */
  readonly number: Sql;
  /** Neither absent nor null. */
  readonly present: Sql;
  /** Present and not "". */
  readonly exists: Sql;
  /** The value as JSON text, with its type; NULL where it is missing. */
  readonly json: Sql;
  /** Whether its text is one of these. */
  isText(wanted: readonly string[]): Sql;
  /** Whether it is or spells one of these numbers. */
  isNumber(wanted: readonly number[]): Sql;
  /** What rows are grouped by, and how an answer reads it. */
  readonly group: GroupKey;
  /** A number for each text, 0 where there is none: what tells texts apart where nobody reads them. */
  readonly hash?: Sql;
}

/** `empty`: a text, '' where missing. `text`: NULL where missing. `time`: milliseconds, NULL where missing. */
export interface GroupKey {
  readonly key: Sql;
  readonly kind: 'empty' | 'text' | 'time';
}

/** A column that has '' where the value is missing. */
export function filledColumn(column: Sql): Value {
  return {
    ...textValue(sql`nullIf(${column}, '')`, column),
    present: sql`${column} != ''`,
    exists: sql`${column} != ''`,
    isText: (wanted) =>
      isOneOf(
        column,
        wanted.filter((one) => one !== ''),
      ),
    group: { key: column, kind: 'empty' },
  };
}

/** A text that is NULL where the value is missing. */
export function nullableText(column: Sql): Value {
  return textValue(column, sql`ifNull(${column}, '')`);
}

function textValue(nullable: Sql, plain: Sql): Value {
  return {
    text: nullable,
    number: spelt(plain),
    present: sql`${nullable} IS NOT NULL`,
    exists: sql`${plain} != ''`,
    json: sql`if(${nullable} IS NULL, NULL, toJSONString(${plain}))`,
    isText: (wanted) => all([...(wanted.includes('') ? [sql`${nullable} IS NOT NULL`] : []), isOneOf(plain, wanted)]),
    isNumber: (wanted) => isOneNumber(spelt(plain), wanted),
    group: { key: nullable, kind: 'text' },
  };
}

/** A value given by its text and its number, both NULL where there is none. `json`: as in `Value`. */
export function givenValue(given: { readonly text: Sql; readonly number: Sql; readonly json: Sql }): Value {
  return {
    ...nullableText(given.text),
    number: given.number,
    json: given.json,
    isNumber: (wanted) => isOneNumber(given.number, wanted),
  };
}

/** A moment, milliseconds, NULL where there is none. @param span Where all these times lie. */
export function timeValue(ms: Sql, zone: Zone, span: Span): Value {
  const printed = timeText(ms, zone, span);
  return {
    text: printed,
    number: sql`toFloat64(${ms})`,
    present: sql`${ms} IS NOT NULL`,
    exists: sql`${ms} IS NOT NULL`,
    json: sql`toString(${ms})`,
    isText: (wanted) => sql`ifNull(${isOneOf(printed, wanted)}, 0)`,
    isNumber: (wanted) =>
      sql`ifNull(${any(wanted.filter(Number.isSafeInteger).map((one) => sql`${ms} = ${whole(one)}`))}, 0)`,
    group: { key: ms, kind: 'time' },
  };
}

/** A value as JSON text, '' where it is missing: what ClickHouse's JSON functions cut out of a larger one. */
export function jsonValue(raw: Sql): Value {
  const first = sql`substring(${raw}, 1, 1)`;
  const number = sql`toFloat64OrNull(${raw})`;
  return givenValue({
    text: sql`multiIf(${first} IN ('', 'n'), NULL, ${first} = '"', JSONExtractString(${raw}), ${first} IN ('{', '[', 't', 'f'), ${asJavaScript(raw)}, ${textOfNumber(number)})`,
    number: sql`if(${first} = '"', ${spelt(sql`JSONExtractString(${raw})`)}, ${number})`,
    json: sql`if(${first} IN ('', 'n'), NULL, ${raw})`,
  });
}

/**
 * JSON that ClickHouse wrote, as JavaScript would: it escapes two line ends and every slash. An escaped backslash is a control
 * character meanwhile, as these are escaped themselves: the next two characters are no escape then.
 */
export function asJavaScript(json: Sql): Sql {
  const marked = sql`replaceAll(${json}, '\\\\\\\\', '\\x01')`;
  const lines = sql`replaceAll(replaceAll(${marked}, '\\\\u2028', '\\xE2\\x80\\xA8'), '\\\\u2029', '\\xE2\\x80\\xA9')`;
  return sql`replaceAll(replaceAll(${lines}, '\\\\/', '/'), '\\x01', '\\\\\\\\')`;
}

/** The number that the whole text spells; NULL where it spells none. */
function spelt(plain: Sql): Sql {
  const number = sql`toFloat64OrNull(${plain})`;
  return sql`if(match(${plain}, '^[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?$') AND isFinite(${number}), ${number}, NULL)`;
}

/** As JavaScript writes a number: ClickHouse does the same, but for the sign of an exponent. */
export function textOfNumber(number: Sql): Sql {
  return sql`if(abs(${number}) >= 1e21, replaceOne(toString(${number}), 'e', 'e+'), toString(${number}))`;
}

/** Whether the number, which may be NULL, is one of these. */
export function isOneNumber(number: Sql, wanted: readonly number[]): Sql {
  if (wanted.length === 0) return FALSE;
  return sql`ifNull(has(${numbers(wanted)}, ${number}), 0)`;
}

/** Whether a text is one of these. Many are looked up in a set. */
export function isOneOf(plain: Sql, wanted: readonly string[]): Sql {
  const [only] = wanted;
  if (only === undefined) return FALSE;
  return wanted.length === 1 ? sql`${plain} = ${text(only)}` : sql`${plain} IN ${texts(wanted)}`;
}
