/** What texts and cells take in memory. */

const POINTER = 8;

/** Two bytes a character, though many texts need only one: soon there is a copy, on its way to another thread or into an answer. */
export const bytesOfString = (text: string): number => 24 + 2 * text.length;

/** Cells of so many bytes end a page of an export, however many rows it might have: an event may take a megabyte. */
export const MOST_PAGE_BYTES = 8 << 20;

/** About how many bytes a cell takes, with all that is in it. At most 32 levels deep, as events are. */
export function bytesOfCell(cell: unknown): number {
  if (typeof cell === 'string') return POINTER + bytesOfString(cell);
  if (typeof cell !== 'object' || cell === null) return typeof cell === 'number' ? 2 * POINTER : POINTER;
  let bytes = 5 * POINTER;
  if (Array.isArray(cell)) for (const item of cell) bytes += bytesOfCell(item);
  else for (const [key, item] of Object.entries(cell)) bytes += POINTER + bytesOfString(key) + bytesOfCell(item);
  return bytes;
}
