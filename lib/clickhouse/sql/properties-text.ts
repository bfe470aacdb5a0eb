/** All properties of an event as one JSON text, as JavaScript writes the cell of an answer: what a list is sorted by. */
import { MAPS, type PropertySet } from './properties.ts';
import { sql, type Sql } from './statement.ts';

export function propertiesText(set: PropertySet): Sql {
  const { texts, types } = MAPS[set];
  const value = sql`if(${types}[k] = 'string' AND ${texts}[k] IS NOT NULL, ${jsonString(sql`assumeNotNull(${texts}[k])`)}, ifNull(${texts}[k], 'null'))`;
  const pairs = sql`arrayMap(k -> concat(${jsonString(sql`k`)}, ':', ${value}), arraySort(k -> (${place}, k), mapKeys(${texts})))`;
  return sql`concat('{', arrayStringConcat(${pairs}, ','), '}')`;
}

/** JavaScript puts keys that are indexes of arrays first, by size; the others follow in the order of their code points. */
const place = sql`if(match(k, '^(0|[1-9][0-9]{0,9})$') AND toUInt64(k) < 4294967295, toUInt64(k), 4294967295)`;

/**
 * A text in quotes. Two line ends and every slash are escaped by ClickHouse but not by JavaScript. An escaped backslash is a
 * control character meanwhile, as these are escaped themselves: the next two characters are no escape then.
 */
function jsonString(text: Sql): Sql {
  const marked = sql`replaceAll(toJSONString(${text}), '\\\\\\\\', '\\x01')`;
  const lines = sql`replaceAll(replaceAll(${marked}, '\\\\u2028', '\\xE2\\x80\\xA8'), '\\\\u2029', '\\xE2\\x80\\xA9')`;
  return sql`replaceAll(replaceAll(${lines}, '\\\\/', '/'), '\\x01', '\\\\\\\\')`;
}
