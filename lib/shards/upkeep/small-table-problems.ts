/** Values of the small tables of a shard that no writer of Windlass stores: SQLite takes a text where a number belongs. */
import { hasCurrentFormat, type Connection } from '../file/shard-file.ts';
import { smallTable } from '../file/small-tables.ts';
import { shortened } from '../../base/text/shown.ts';

/** One line for each row with such a value. */
export function* smallTableProblems(connection: Connection): Generator<string> {
  for (const [key, value] of smallTable(connection, 'meta'))
    if (!isCount(value)) yield `meta ${shown(key)}: ${shown(value)} is not a count`;
  for (const [id, rows, first, last, ...rest] of segmentsOf(connection)) {
    const [tidy, live, idsFirst, idsLast, imports] = rest;
    if (!isCount(id) || !isCount(rows) || rows === 0) yield `segment ${id}: it cannot have ${shown(rows)} rows`;
    if (!isStoredTime(first) || !isStoredTime(last) || first > last) yield `segment ${id}: its times are not in order`;
    if (![tidy, live, imports].every(isFlag)) yield `segment ${id}: its state is unknown`;
    if (![idsFirst, idsLast].every((at) => at === null || isCount(at)))
      yield `segment ${id}: its arrivals are not counts`;
  }
  for (const [id, key] of smallTable(connection, 'fields'))
    if (typeof key !== 'string') yield `field ${id}: it has no text as its key`;
  for (const [date, ...counts] of usageOf(connection))
    if (!/^\d{4,6}-\d\d-\d\d$/.test(date) || !counts.every(isCount))
      yield `usage of ${shown(date)}: not a day with its counts`;
}

type Segments = ReturnType<typeof smallTable<'segments'>>;

/** Those of a shard that no writer has upgraded yet have no arrivals of insert ids. */
function segmentsOf(connection: Connection): Segments {
  if (hasCurrentFormat(connection)) return smallTable(connection, 'segments');
  const sql = 'SELECT id, rows, first, last, tidy, live, NULL, NULL, 0 FROM segments ORDER BY 1';
  return connection.prepare<[], Segments[number]>(sql).raw().all();
}

type Usage = ReturnType<typeof smallTable<'usage'>>;

/** Nor do those have the latest counters. */
function usageOf(connection: Connection): Usage {
  if (hasCurrentFormat(connection)) return smallTable(connection, 'usage');
  const sql =
    'SELECT date, ingested, stored, rejected, duplicate, dropped, trimmed, ids_ignored, 0, 0 FROM usage ORDER BY 1';
  return connection.prepare<[], Usage[number]>(sql).raw().all();
}

/** A text may be as long as the file. */
const shown = (value: unknown): string =>
  typeof value === 'number'
    ? String(value)
    : typeof value === 'string'
      ? JSON.stringify(shortened(value))
      : typeof value;

/** A whole number that a double holds exactly. */
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isFlag = (value: unknown): boolean => value === 0 || value === 1;

/** In milliseconds, as a Date can be. */
export const isStoredTime = (value: unknown): value is number =>
  typeof value === 'number' && Math.abs(value) <= 8.64e15;
