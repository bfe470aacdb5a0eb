/** Values of single rows, with their types as sent. */
import type { Cell, ColumnType } from '../../dsl/plan/table.ts';
import { formatTime } from '../../dsl/time/format-time.ts';
import type { Zone } from '../../dsl/time/zone.ts';
import { compareCodePoints, numberText } from '../../dsl/plan/value.ts';
import { OVERFLOW, type Segment } from '../../shards/shard-reader.ts';
import { isRecord } from '../../base/is-record.ts';
import { unreachable } from '../../base/unreachable.ts';
import { plainColumn, type ValueDictionary, type FieldColumn } from './field-column.ts';
import { objectIn } from './json-path.ts';
import { lowerBound } from '../../base/lower-bound.ts';
import { readJson } from '../../base/text/read-json.ts';

/** A value whose JSON is still text: that takes a fraction of what it spells, and few may be shown. Plain data. */
export type UnparsedValue = string | number | boolean | null | StoredJson;

export interface StoredJson {
  readonly type: 'array' | 'object';
  readonly json: string;
}

/** undefined: the row has no value. A time is in milliseconds. */
export function valueAtRow(column: FieldColumn | null, row: number): Cell | undefined {
  const stored = storedAtRow(column, row);
  return stored === undefined ? undefined : cellOf(stored);
}

/** The same, with JSON as it is stored. */
export function storedAtRow(column: FieldColumn | null, row: number): UnparsedValue | undefined {
  if (column === null) return undefined;
  const code = column.codes?.[row] ?? 0;
  return code !== 0 && column.dictionary !== null ? storedOfCode(column.dictionary, code) : numberAt(column, row);
}

export function isJson(value: UnparsedValue): value is StoredJson {
  return typeof value === 'object' && value !== null;
}

export function cellOf(value: UnparsedValue): Cell {
  if (!isJson(value)) return value;
  return value.type === 'array' ? parseArray(value.json) : objectIn(value.json);
}

/** The text by which a row is grouped; null if it is missing. */
export function textAtRow(column: FieldColumn | null, row: number, zone: Zone): string | null {
  if (column === null) return null;
  const code = column.codes?.[row] ?? 0;
  if (code !== 0 && column.dictionary !== null) return textOfCode(column.dictionary, code);
  const number = numberAt(column, row);
  if (number === undefined) return null;
  return column.times ? formatTime(number, zone) : numberText(number);
}

/** Reads the cells of a column: texts in one of texts, else with the type that was sent. */
export function cellReader(column: FieldColumn | null, type: ColumnType, zone: Zone): (row: number) => Cell {
  if (column === null) return () => null;
  return type === 'string' ? (row) => textAtRow(column, row, zone) : (row) => valueAtRow(column, row) ?? null;
}

/** Reads the properties of a segment's events (`p`), or of their users (`u`), by key, with their types as sent. */
export function propertiesOf(segment: Segment, kind: 'p' | 'u'): (row: number) => { readonly [key: string]: unknown } {
  const columns = segment
    .columnKeys()
    .filter((name) => name.startsWith(`${kind}:`))
    .map((name): [string, FieldColumn | null] => [name.slice(2), plainColumn(segment.column(name))])
    .sort(byKey); // columns have an order only by chance
  const overflows = columns.some(([key]) => key === OVERFLOW);
  return (row) => {
    const entries: [string, unknown][] = [];
    for (const [key, column] of columns) {
      const value = valueAtRow(column, row);
      if (value === undefined) continue;
      if (key === OVERFLOW) entries.push(...Object.entries(isRecord(value) ? value : {}));
      else entries.push([key, value]);
    }
    if (overflows) entries.sort(byKey);
    return Object.fromEntries(entries); // as own properties, `__proto__` too
  };
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return compareCodePoints(a, b);
}

function numberAt({ numbers }: FieldColumn, row: number): number | undefined {
  if (numbers === null) return undefined;
  if (numbers.rows === null) return numbers.values[row];
  const place = lowerBound(numbers.rows, row);
  return numbers.rows[place] === row ? numbers.values[place] : undefined;
}

/** null: missing. */
export function textOfCode(dictionary: ValueDictionary, code: number): string | null {
  return dictionary.type(code) === 'null' ? null : dictionary.text(code);
}

export function storedOfCode(dictionary: ValueDictionary, code: number): UnparsedValue {
  const type = dictionary.type(code);
  const text = dictionary.text(code);
  switch (type) {
    case 'string':
      return text;
    case 'number':
      return Number(text);
    case 'boolean':
      return text === 'true';
    case 'null':
      return null;
    case 'array':
    case 'object':
      return { type, json: text };
    default:
      return unreachable(type);
  }
}

function parseArray(text: string): readonly unknown[] {
  const value: unknown = readJson(text);
  return Array.isArray(value) ? value : [];
}
