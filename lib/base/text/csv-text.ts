/**
 * CSV (RFC 4180) with a header. A text that a spreadsheet would take for a formula gets a leading apostrophe, as whoever makes a
 * project chooses its name.
 */
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
  const plain = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
