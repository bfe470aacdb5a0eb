/** Saves a card as a file: its data as CSV, its picture as PNG. */
import { csvField } from '../../lib/base/text/csv-text.ts';
import type { CardData, Envelope } from '../../lib/dashboards/data.ts';

type Ready = Extract<CardData, { state: 'ready' }>;

/** RFC 4180; several queries follow each other, each under its name. A text that a spreadsheet would evaluate gets a `'`. */
export function csvOf({ queries }: Ready): string {
  const entries = Object.entries(queries);
  return entries
    .map(([name, answer]) => (entries.length > 1 ? `${csvCell(name)}\r\n` : '') + csvTable(answer))
    .join('\r\n');
}

/** Downloads a file. */
export function saveFile(name: string, contents: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(contents);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** `Weekly active users`, `csv` → `weekly-active-users.csv` */
export function fileName(title: string, end: string): string {
  const words = title.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-').replaceAll(/^-+|-+$/g, ''); // prettier-ignore
  return `${words.slice(0, 80) || 'card'}.${end}`;
}

function csvTable({ columns, rows }: Envelope): string {
  const lines = rows.map((row) => columns.map((name) => csvCell(row[name])).join(','));
  return [columns.map(csvCell).join(','), ...lines, ''].join('\r\n');
}

function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value : Array.isArray(value) ? value.map(String).join(' -> ') : JSON.stringify(value); // prettier-ignore
  return csvField(text);
}
