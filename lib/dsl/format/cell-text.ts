/** Cells as plain text, for the formats that have no types. */
import { pathText } from '../finish/path-text.ts';
import type { Cell, TableColumn } from '../plan/table.ts';
import { formatTime } from '../time/format-time.ts';
import type { Zone } from '../time/zone.ts';
import { numberText } from '../plan/value.ts';

/** The text of a cell: times in the zone, paths as `a -> b`, other objects and arrays as JSON; null where missing. */
export function cellText(cell: Cell, column: TableColumn, zone: Zone): string | null {
  if (cell === null || typeof cell === 'string') return cell;
  if (typeof cell !== 'number') return isPath(column) ? pathText(cell) : JSON.stringify(cell);
  if (!Number.isFinite(cell)) return null;
  return column.type === 'time' ? formatTime(cell, zone) : numberText(cell);
}

/** A number that is printed as one (a time is not). */
export function isNumberCell(cell: Cell, column: TableColumn): boolean {
  return typeof cell === 'number' && column.type !== 'time';
}

function isPath(column: TableColumn): boolean {
  return column.type === 'json' && column.role === 'group';
}
