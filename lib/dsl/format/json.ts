/**
 * Answers as JSON. Rows are written straight to text, without objects: any name may be a key (`__proto__` too), in the order of
 * the columns.
 */
import type { Cell, Table, TableColumn } from '../plan/table.ts';
import { formatTime } from '../time/format-time.ts';
import { zoneOf } from '../plan/columns.ts';
import type { Zone } from '../time/zone.ts';
import type { Answer } from './answer.ts';

/** `[{…}, …]`: one object per row, keys in the order of the columns. Row by row. */
export function* formatRows(table: Table, zone: Zone): Iterable<string> {
  const keys = table.columns.map((column) => `${JSON.stringify(column.name)}:`);
  yield '[';
  for (const [at, row] of table.rows.entries()) {
    const members = table.columns.map((column, i) => keys[i]! + jsonCell(row[i] ?? null, column, zone));
    yield `${at === 0 ? '' : ','}{${members.join(',')}}`;
  }
  yield ']';
}

/** Text that makes an object of the rows and their context: columns, total before the page, range, cost, notes. */
export function envelopeAround(answer: Answer): { readonly before: string; readonly after: string } {
  const zone = zoneOf(answer);
  const { page, range, nextCursor = null } = answer;
  const names = page.columns.map(({ name }) => name);
  const types = page.columns.map(({ name, type, role }) => ({ name, type, role }));
  const rest = {
    total: page.total,
    ...(nextCursor === null ? {} : { next_cursor: nextCursor }),
    range: { from: formatTime(range.from, zone), to: formatTime(range.to, zone), timezone: answer.zone },
    rows_scanned: answer.rowsScanned,
    elapsed_ms: Math.round(answer.elapsedMs),
    mode: answer.mode,
    notes: answer.notes,
  };
  return {
    before: `{"columns":${JSON.stringify(names)},"column_types":${JSON.stringify(types)},"rows":`,
    after: `,${JSON.stringify(rest).slice(1)}`,
  };
}

/** A number that JSON cannot hold is null. */
export function jsonCell(cell: Cell, column: TableColumn, zone: Zone): string {
  if (cell === null) return 'null'; // most cells of a list
  return typeof cell === 'number' && column.type === 'time' && Number.isFinite(cell)
    ? `"${formatTime(cell, zone)}"`
    : JSON.stringify(cell);
}
