/** The rows of an answer as text, without their context: the part that takes time and needs only the table. */
import { unreachable } from '../../base/unreachable.ts';
import { zoneOf } from '../plan/columns.ts';
import type { Cell, Table, TableColumn } from '../plan/table.ts';
import type { Format, Page } from './answer.ts';
import { formatRows } from './json.ts';
import { formatTable } from './markdown.ts';
import type { Zone } from '../time/zone.ts';
import { cellText, isNumberCell } from './cell-text.ts';

/** `zone`: IANA name or UTC, for printing times. */
export function formatPage(format: Format, table: Table, zone: string): Page {
  const { columns, rows, total } = table;
  const text = new TextEncoder().encode(textOf(format, table, zone));
  return { columns, shown: rows.length, total, isEmpty: isEmpty(table), text };
}

function isEmpty({ columns, rows }: Table): boolean {
  const told = columns.flatMap(({ role }, at) => (role === 'group' || role === 'bucket' ? [] : [at]));
  return rows.every((row) => told.every((at) => row[at] === null || row[at] === 0));
}

function textOf(format: Format, table: Table, zone: string): string {
  switch (format) {
    case 'llm':
      return formatTable(table, zoneOf({ zone }));
    case 'json':
      return formatRows(table, zoneOf({ zone }));
    case 'csv':
      return formatCsv(table, zoneOf({ zone }));
    default:
      return unreachable(format);
  }
}

/**
 * CSV as in RFC 4180, with a header row and CRLF. Missing cells are empty. Texts that a spreadsheet would run as a formula get a
 * leading `'`; numbers never do.
 */
function formatCsv(table: Table, zone: Zone): string {
  const header = table.columns.map((column) => textField(column.name));
  const rows = table.rows.map((row) => table.columns.map((column, i) => field(row[i] ?? null, column, zone)));
  return [header, ...rows].map((fields) => `${fields.join(',')}\r\n`).join('');
}

function field(cell: Cell, column: TableColumn, zone: Zone): string {
  const text = cellText(cell, column, zone);
  if (text === null) return '';
  return isNumberCell(cell, column) ? text : textField(text);
}

/** An empty text is quoted, to differ from a missing one. */
function textField(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return safe === '' || /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
