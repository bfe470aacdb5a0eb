/** Cells as plain text, for the formats that have no types. */
import { pathText } from '../finish/path-text.ts';
import type { Cell, TableColumn } from '../plan/table.ts';
import { formatTime } from '../time/format-time.ts';
import type { Zone } from '../time/zone.ts';
import { numberText } from '../plan/value.ts';

/** The text of a cell: times in the zone, paths as `a -> b`, other objects and arrays as JSON; null where missing. */
export function cellText(cell: Cell, column: TableColumn, zone: Zone): string | null {
  switch (typeof cell) {
    case 'string':
      return cell;
    case 'number':
      return Number.isFinite(cell) ? (column.type === 'time' ? formatTime(cell, zone) : numberText(cell)) : null;
    case 'boolean':
      return String(cell);
    default:
      return cell === null ? null : isPath(column) ? pathText(cell) : JSON.stringify(cell);
  }
}

/** A number that is printed as one (a time is not). */
export function isNumberCell(cell: Cell, column: TableColumn): boolean {
  return typeof cell === 'number' && column.type !== 'time';
}

function isPath(column: TableColumn): boolean {
  return column.type === 'json' && column.role === 'group';
}
