/** CSV (RFC 4180) with a header. */
export function csvText(columns: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
  return [columns, ...rows].map(csvLine).join('\r\n');
}

/** A row of `csvText`, without its line break. */
export function csvLine(row: readonly (string | number | null)[]): string {
  return row.map(csvCell).join(',');
}

function csvCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  return csvField(value);
}

/**
 * A text as a field, quoted where it must be. One that a spreadsheet would take for a formula gets a leading apostrophe, as anybody
 * may have sent it; a number that a text spells is no formula.
 */
export function csvField(text: string): string {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Spreadsheets read full-width forms as the characters themselves, and a formula behind a line break. */
const FORMULA = /^[=+\-@＝＋－＠\t\r\n]/;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
