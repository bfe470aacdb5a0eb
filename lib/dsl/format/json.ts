/**
 * Answers as JSON. Rows are written as text and not as objects first: any name may be a key (`__proto__` too), in the order
 * of the columns.
 */
import type { Cell, TableColumn } from '../table.ts';
import { formatTime } from '../time/format-time.ts';
import { zoneOf } from '../columns.ts';
import type { Zone } from '../time/zone.ts';
import type { Answer } from './answer.ts';

/** `[{…}, …]`: one object a row, keys in the order of the columns. */
export function formatRows({ table, zone: name }: Pick<Answer, 'table' | 'zone'>): string {
  const zone = zoneOf({ zone: name });
  const keys = table.columns.map((column) => `${JSON.stringify(column.name)}:`);
  const rows = table.rows.map((row) => {
    const members = table.columns.map((column, i) => keys[i]! + jsonCell(row[i] ?? null, column, zone));
    return `{${members.join(',')}}`;
  });
  return `[${rows.join(',')}]`;
}

/** The rows and their context: columns, total before the page, range, cost, notes. */
export function formatEnvelope(answer: Answer): string {
  const zone = zoneOf(answer);
  const { table, range } = answer;
  const members: readonly (readonly [key: string, json: string])[] = [
    ['columns', JSON.stringify(table.columns.map(({ name }) => name))],
    ['column_types', JSON.stringify(table.columns.map(({ name, type, role }) => ({ name, type, role })))],
    ['rows', formatRows(answer)],
    ['total', JSON.stringify(table.total)],
    [
      'range',
      JSON.stringify({ from: formatTime(range.from, zone), to: formatTime(range.to, zone), timezone: answer.zone }),
    ],
    ['rows_scanned', JSON.stringify(answer.rowsScanned)],
    ['elapsed_ms', JSON.stringify(Math.round(answer.elapsedMs))],
    ['mode', JSON.stringify(answer.mode)],
    ['notes', JSON.stringify(answer.notes)],
  ];
  return `{${members.map(([key, json]) => `"${key}":${json}`).join(',')}}`;
}

/** A number that JSON cannot hold is null. */
function jsonCell(cell: Cell, column: TableColumn, zone: Zone): string {
  return typeof cell === 'number' && column.type === 'time' && Number.isFinite(cell)
    ? `"${formatTime(cell, zone)}"`
    : JSON.stringify(cell);
}
