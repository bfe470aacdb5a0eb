/** Tables for terminals. */
import { type PrintedCell, type CellColumn, printedCell, visible } from './cell.ts';
import type { Screen } from '../terminal.ts';
import { type Align, cutTo, displayWidth, fit, type Styled, wrapTo } from './display-width.ts';

/** What to print. A column without a type is numeric if it holds only numbers. */
export interface TableContent {
  readonly columns: readonly CellColumn[];
  /** JSON values in the order of the columns; missing ones are null. */
  readonly rows: readonly (readonly unknown[])[];
  /** Lines below the table: `10 of 137 rows, 12 ms`. */
  readonly footer?: readonly string[];
}

export interface TableStyle {
  /** Columns of the terminal; Infinity: cut nothing. */
  readonly width: number;
  readonly color: boolean;
}

type Size = Pick<Screen, 'isTTY' | 'columns'>;

/** How to print tables to a stream: as wide as its terminal, or uncut without one. */
export function styleOf(screen: Size, env: NodeJS.ProcessEnv, noColor: boolean): TableStyle {
  // Width if a terminal does not report its own, as in some editors and on serial lines.
  const width = screen.isTTY === true ? screen.columns || 80 : Number.POSITIVE_INFINITY;
  return { width, color: !noColor && wantsColor(screen, env) };
}

/** NO_COLOR (https://no-color.org) overrides FORCE_COLOR, which overrides the terminal's abilities. */
function wantsColor(screen: Size, env: NodeJS.ProcessEnv): boolean {
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return screen.isTTY === true && env['TERM'] !== 'dumb';
}

/** The least width of a cut text column, in terminal columns. */
const MIN_WIDTH = 8;
const GAP = '  ';

/**
 * The table, a header with a rule below it. Lines fit into `width`: the widest columns are cut first, with an ellipsis; numbers
 * never are, since part of a number is another number. If the columns still do not fit, those that are null in every row are left
 * out, which a line says; if that is not enough, every row becomes a record, with a value per line.
 */
export function renderTable({ columns, rows, footer = [] }: TableContent, { width, color }: TableStyle): string {
  const brush = paint(color);
  const names = columns.map(({ name }) => visible(name));
  const cells = rows.map((row) => columns.map((column, i) => printedCell(row[i] ?? null, column, row)));
  const grid = { names, aligns: columns.map((column, i) => alignOf(column, cells, i)), cells };
  const whole = gridLines(grid, width, brush);
  const filled = whole === null ? withValues(grid) : grid;
  const lines = whole ?? gridLines(filled, width, brush) ?? recordLines(filled.names, filled.cells, width, brush);
  const left = names.length - filled.names.length;
  const notes = left === 0 ? [] : [`${left} ${left === 1 ? 'column' : 'columns'} without a value left out`];
  // Not cut: a note may end in the intended name.
  const end = [...footer, ...notes].flatMap((line) => wrapTo(visible(line), width).map(brush.dim));
  return [...lines, ...(lines.length > 0 && end.length > 0 ? [''] : []), ...end].map((line) => `${line}\n`).join('');
}

interface Grid {
  readonly names: readonly string[];
  readonly aligns: readonly Align[];
  readonly cells: readonly (readonly PrintedCell[])[];
}

/** Removes columns that are null in every row; keeps all if all are. */
function withValues(grid: Grid): Grid {
  const kept = grid.names.flatMap((_, i) => (grid.cells.some((row) => row[i]?.kind !== 'null') ? [i] : []));
  if (kept.length === 0) return grid;
  const pick = <T>(values: readonly T[]): T[] => values.filter((_, i) => kept.includes(i));
  return { names: pick(grid.names), aligns: pick(grid.aligns), cells: grid.cells.map(pick) };
}

/** null: the columns do not fit side by side. */
function gridLines(grid: Grid, width: number, brush: Paint): string[] | null {
  const { names, aligns, cells } = grid;
  if (names.length === 0) return [];
  const widths = widthsOf(grid, width);
  if (widths === null) return null;
  const place = (text: string, i: number, styled: Styled): string =>
    fit(text, widths[i] ?? 0, aligns[i] ?? 'left', styled);
  return [
    names.map((name, i) => place(name, i, brush.bold)),
    widths.map((columns) => brush.dim('─'.repeat(columns))),
    ...cells.map((row) => row.map(({ text, kind }, i) => place(text, i, kind === 'null' ? brush.dim : brush.plain))),
  ].map((parts) => parts.join(GAP).trimEnd());
}

function widthsOf({ names, aligns, cells }: Grid, width: number): number[] | null {
  const ofCells = names.map((_, i) => cells.reduce((most, row) => Math.max(most, displayWidth(row[i]?.text ?? '', width)), 0)); // prettier-ignore
  const natural = names.map((name, i) => Math.max(displayWidth(name, width), ofCells[i] ?? 0));
  const least = natural.map((columns, i) => {
    const cut = Math.min(columns, MIN_WIDTH);
    return aligns[i] === 'right' ? Math.max(cut, ofCells[i] ?? 0) : cut;
  });
  return shareWidth(natural, least, width - GAP.length * (names.length - 1));
}

function alignOf({ type }: CellColumn, cells: readonly (readonly PrintedCell[])[], index: number): Align {
  if (type !== undefined) return ['number', 'ratio', 'seconds'].includes(type) ? 'right' : 'left';
  const kinds = new Set(cells.map((row) => row[index]?.kind));
  return kinds.has('number') && !kinds.has('text') ? 'right' : 'left';
}

/** Rows as records, `name  value` a line, for tables with more columns than fit a terminal. Never cuts numbers. */
function recordLines(
  names: readonly string[],
  rows: readonly (readonly PrintedCell[])[],
  width: number,
  brush: Paint,
): string[] {
  const longest = names.reduce((most, name) => Math.max(most, displayWidth(name)), 0);
  const nameWidth = Math.max(1, Math.min(longest, Math.floor((width - GAP.length) / 2)));
  const valueWidth = Math.max(1, width - nameWidth - GAP.length);
  return rows.flatMap((row, index) => [
    brush.dim(cutTo(`── ${index + 1} `.padEnd(nameWidth + GAP.length, '─'), width)),
    ...row.map(({ text, kind }, i) => {
      const value = kind === 'number' ? text : cutTo(text, valueWidth);
      const name = fit(names[i] ?? '', nameWidth, 'left', brush.bold);
      return `${name}${GAP}${(kind === 'null' ? brush.dim : brush.plain)(value)}`.trimEnd();
    }),
  ]);
}

/**
 * Column widths that fit into `room` together. If the natural widths do not, the widest columns shrink to one common level, none
 * below its `least`. null: even the least widths do not fit.
 */
function shareWidth(natural: readonly number[], least: readonly number[], room: number): number[] | null {
  const at = (level: number): number[] => natural.map((width, i) => Math.min(width, Math.max(level, least[i] ?? 0)));
  if (sum(natural) <= room) return [...natural];
  if (sum(at(0)) > room) return null;
  let level = 0;
  while (sum(at(level + 1)) <= room) level += 1;
  return spread(at(level), natural, level, room);
}

/** Gives the room left below the next level to the cut columns, one each, from the first on. */
function spread(widths: readonly number[], natural: readonly number[], level: number, room: number): number[] {
  let left = room - sum(widths);
  return widths.map((width, i) => {
    const takes = left > 0 && width === level && width < (natural[i] ?? 0);
    if (takes) left -= 1;
    return takes ? width + 1 : width;
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** How to highlight parts of a table. */
interface Paint {
  readonly plain: Styled;
  readonly bold: Styled;
  readonly dim: Styled;
}

const plain: Styled = (text) => text;

/** Wraps texts in ANSI sequences, or leaves them as they are. */
function paint(color: boolean): Paint {
  if (!color) return { plain, bold: plain, dim: plain };
  return { plain, bold: (text) => `\u001B[1m${text}\u001B[22m`, dim: (text) => `\u001B[2m${text}\u001B[22m` };
}
