/** Answers as Markdown, for people and language models to read: a table, a line of context, the notes. */
import { percentText, shareText } from '../../base/text/percent-text.ts';
import { markdownCellText, markdownLineText } from '../../base/text/markdown-text.ts';
import type { Cell, Table, TableColumn } from '../plan/table.ts';
import { formatTime } from '../time/format-time.ts';
import type { Zone } from '../time/zone.ts';
import type { Answer } from './answer.ts';
import { cellText } from './cell-text.ts';

/**
 * The table. Columns empty in every row are left out, but for metrics that were asked for; ratios are percentages, seconds have three decimals; a missing group reads
 * `(none)`. Row by row.
 */
export function* formatTable(table: Table, zone: Zone, asked: readonly number[]): Iterable<string> {
  const kept = keptColumns(table.columns, table.rows, asked);
  yield tableLine(kept.map((i) => markdownCellText(table.columns[i]!.name)));
  yield tableLine(kept.map((i) => (isNumeric(table.columns[i]!) ? '---:' : '---')));
  for (const row of table.rows) yield tableLine(kept.map((i) => markdownCell(table.columns, row, i, zone)));
}

/** The text below the table: a blank line, the context, the notes. */
export function linesBelow(answer: Answer, zone: Zone): string {
  const lines = ['', context(answer, zone), ...answer.notes.map((note) => `Note: ${markdownLineText(note)}`)];
  return `${lines.join('\n')}\n`;
}

function tableLine(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`;
}

/** `20 of 134 rows, 2026-01-01T00:00:00.000Z to 2026-02-01T00:00:00.000Z (UTC), 12 ms` */
function context({ page, range, zone: name, elapsedMs }: Answer, zone: Zone): string {
  const rows = `${page.shown} of ${page.total} ${page.total === 1 ? 'row' : 'rows'}`;
  return `${rows}, ${formatTime(range.from, zone)} to ${formatTime(range.to, zone)} (${name}), ${Math.round(elapsedMs)} ms`;
}

/** Indexes of columns with a value in some row, or asked for; all columns if none is, so that there is a table. */
function keptColumns(
  columns: readonly TableColumn[],
  rows: readonly (readonly Cell[])[],
  asked: readonly number[],
): number[] {
  const all = columns.map((_, i) => i);
  const isKept = (i: number): boolean =>
    isGroup(columns[i]!) || asked.includes(i) || rows.some((row) => !isEmpty(row[i] ?? null));
  const kept = all.filter(isKept);
  return rows.length === 0 || kept.length === 0 ? all : kept;
}

function isGroup(column: TableColumn): boolean {
  return column.role === 'group' || column.role === 'bucket';
}

function isEmpty(cell: Cell): boolean {
  return cell === null || cell === '' || (typeof cell === 'object' && Object.keys(cell).length === 0);
}

function isNumeric(column: TableColumn): boolean {
  return column.type === 'number' || column.type === 'ratio' || column.type === 'seconds';
}

function markdownCell(columns: readonly TableColumn[], row: readonly Cell[], index: number, zone: Zone): string {
  const column = columns[index]!;
  const cell = row[index] ?? null;
  if (typeof cell === 'number' && column.role === 'period') {
    return shareText(cell, row[columns.findIndex((one) => one.role === 'metric')] ?? null);
  }
  if (typeof cell === 'number' && column.type === 'ratio') return percentText(cell);
  const text = cellText(column.type === 'seconds' ? toThousandths(cell) : cell, column, zone);
  return text === null ? (isGroup(column) ? '(none)' : '') : markdownCellText(text);
}

/** Larger numbers have no thousandths. */
const MAX_THOUSANDTHS = 2 ** 43;

/** Rounds seconds to three decimals. */
function toThousandths(cell: Cell): Cell {
  return typeof cell === 'number' && Math.abs(cell) < MAX_THOUSANDTHS ? Math.round(cell * 1_000) / 1_000 : cell;
}
