/** Records as text for people. */

export type PrintedValue = string | number | boolean | null | readonly string[];

export type TextRecord = Readonly<Record<string, PrintedValue>>;

/** `name  value`, one a line, names aligned. */
export function recordText(record: TextRecord): string {
  const width = Math.max(...Object.keys(record).map((name) => name.length));
  return Object.entries(record)
    .map(([name, value]) => `${name.padEnd(width)}  ${valueText(value)}`)
    .join('\n');
}

/** Columns under their names, separated by two spaces, for pipes: programs may read them. A terminal gets `renderTable`. */
export function tableText(columns: readonly string[], rows: readonly (readonly PrintedValue[])[]): string {
  const lines = [columns, ...rows.map((row) => row.map(valueText))];
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Text with its control characters made harmless; line feeds and tabs stay. */
export function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]|[\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu, '\uFFFD');
}

function valueText(value: PrintedValue): string {
  if (value === null) return '-';
  return printable(typeof value === 'object' ? value.join(',') : String(value)).replace(/[\n\t]/g, ' ');
}

/** `1 row`, `1,234 rows`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : several}`;
}
