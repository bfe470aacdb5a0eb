/** A path as text. */
import type { Cell } from '../plan/table.ts';

/** `a -> b -> c`, a missing label as `(none)`; null if it is not a path. */
export function pathText(cell: Cell): string | null {
  return Array.isArray(cell) ? cell.map((label) => (label === null ? '(none)' : String(label))).join(' -> ') : null;
}
