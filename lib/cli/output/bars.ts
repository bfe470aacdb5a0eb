/** Bars of text. */

/** Terminal columns. */
export const SHORTEST_BAR = 8;
export const LONGEST_BAR = 40;

/** Eighths of a column. */
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar for each value; the greatest has `room` columns. Nothing for what is missing, negative or no number. */
export function barTexts(values: readonly unknown[], room: number): readonly string[] {
  const lengths = values.map((value) => (typeof value === 'number' && value > 0 ? value : 0));
  const greatest = lengths.reduce((most, length) => Math.max(most, length), 0);
  return lengths.map((length) => {
    const eighths = greatest === 0 ? 0 : Math.ceil((length / greatest) * room * 8);
    return '█'.repeat(eighths >> 3) + (EIGHTHS[eighths & 7] ?? '');
  });
}
