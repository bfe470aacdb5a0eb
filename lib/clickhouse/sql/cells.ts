/** Cells as ClickHouse answers them. Another type than was asked for is a bug. */

export type Cells = readonly unknown[];

/** Rows of an answer. */
export type Found = readonly Cells[];

export function textCell(cell: unknown): string {
  if (typeof cell === 'string') return cell;
  throw strange('text', cell);
}

export function numberCell(cell: unknown): number {
  if (typeof cell === 'number') return cell;
  throw strange('number', cell);
}

export function arrayCell(cell: unknown): readonly unknown[] {
  if (Array.isArray(cell)) return cell;
  throw strange('array', cell);
}

/** A text, or null where there is none. */
export const textOrNull = (cell: unknown): string | null => (typeof cell === 'string' ? cell : null);

/** The same, also where it is ''. */
export const filledOrNull = (cell: unknown): string | null => (cell === '' ? null : textOrNull(cell));

/** NULL stays so. */
export const nullable = <T>(cell: unknown, read: (cell: unknown) => T): T | null => (cell === null ? null : read(cell));

const strange = (wanted: string, cell: unknown): Error => new Error(`ClickHouse answered ${typeof cell} for ${wanted}`);
