/** The rows of an answer as text, without their context: the part that takes time and needs only the table. */
import { unreachable } from '../../base/unreachable.ts';
import { zoneOf } from '../plan/columns.ts';
import type { Table } from '../plan/table.ts';
import type { Format, Page } from './answer.ts';
import { formatCsv } from './csv.ts';
import { formatRows } from './json.ts';
import { formatTable } from './markdown.ts';

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
