/** Values that groups divide further: numbers into bins, arrays into elements. Mirrors lib/dsl/plan/bin.ts and elements.ts. */
import { number, sql, type Sql } from './statement.ts';
import { jsonValue, type Value } from './values.ts';

/** Where the bin of a number begins; NULL of no number, and where that is not finite. */
export function binSql(value: Sql, width: number): Sql {
  const wide = number(width);
  const near = sql`floor(${value} / ${wide})`;
  const step = sql`greatest(1., abs(${near}) * ${number(Number.EPSILON)})`;
  const start = sql`multiIf((${near} + ${step}) * ${wide} <= ${value}, (${near} + ${step}) * ${wide}, ${near} * ${wide} <= ${value}, ${near} * ${wide}, (${near} - ${step}) * ${wide})`;
  return sql`if(isFinite(${start}), ${start} + 0, NULL)`;
}

/** A row for each distinct element of an array, NULL for one that is null or for none; any other value is its own element. */
export function eachElement(value: Value): Sql {
  const json = sql`ifNull(${value.json}, '')`;
  const texts = sql`arrayMap(raw -> ${jsonValue(sql`raw`).text}, JSONExtractArrayRaw(${json}))`;
  const present = sql`arrayDistinct(arrayFilter(t -> t IS NOT NULL, ${texts}))`;
  const missing = sql`if(empty(${texts}) OR arrayExists(t -> t IS NULL, ${texts}), CAST([NULL], 'Array(Nullable(String))'), [])`;
  return sql`arrayJoin(if(startsWith(${json}, '['), arrayConcat(${present}, ${missing}), [${value.text}]))`;
}
