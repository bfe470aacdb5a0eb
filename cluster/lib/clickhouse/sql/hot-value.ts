/** A property that has columns of its own. */
import type { Slots } from '../hot/slots.ts';
import { hotColumn } from '../hot/hot-columns.ts';
import { propertyValue } from './properties.ts';
import { any, FALSE, name, sql, type Sql } from './statement.ts';
import { isOneNumber, isOneOf, textOfNumber, type Value } from './values.ts';

const NO_NUMBER = sql`CAST(NULL, 'Nullable(Float64)')`;

/**
 * Its value by these columns; null where some of its values have none. A number is no text of its column of texts: where there are
 * both, a text goes first, which is how the number was spelled.
 */
export function hotValue(slots: Slots, path: string): Value | null {
  const [ofTexts, ofNumbers] = [slots.slotOf('text', path), slots.slotOf('number', path)];
  if (path.includes('.') || !slots.has(path) || ofTexts === null || ofNumbers === null) return null;
  const number = ofNumbers === undefined ? NO_NUMBER : name(hotColumn('number', ofNumbers));
  const written = ofTexts === undefined ? writtenNumber(number) : name(hotColumn('text', ofTexts));
  const text =
    ofTexts === undefined || ofNumbers === undefined ? written : sql`ifNull(${written}, ${writtenNumber(number)})`;
  const columns = [...(ofTexts === undefined ? [] : [written]), ...(ofNumbers === undefined ? [] : [number])];
  return {
    text,
    number,
    present: any(columns.map((column) => sql`${column} IS NOT NULL`)), // how a number is written does not matter
    exists: sql`ifNull(${text} != '', 0)`,
    // Its type is in a map.
    get json() {
      return propertyValue('event', path).json;
    },
    isText: (wanted) => sql`ifNull(${isOneOf(text, wanted)}, 0)`,
    isNumber: (wanted) => (ofNumbers === undefined ? FALSE : isOneNumber(number, wanted)),
    group: { key: text, kind: 'text' },
  };
}

const writtenNumber = (number: Sql): Sql => sql`if(${number} IS NULL, NULL, ${textOfNumber(number)})`;
