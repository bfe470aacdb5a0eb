/** Answers as CSV: RFC 4180, a header row, CRLF. */
import type { Cell, Table, TableColumn } from '../plan/table.ts';
import type { Zone } from '../time/zone.ts';
import { cellText, isNumberCell } from './cell-text.ts';

/** Missing cells are empty. Texts that a spreadsheet would run as a formula get a leading `'`; numbers never do. */
export function formatCsv(table: Table, zone: Zone): string {
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
