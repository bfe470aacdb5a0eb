/** Tables for terminals. */
import { type PrintedCell, type CellColumn, printedCell, visible } from './cell.ts';
import { type Screen, USUAL_COLUMNS } from '../terminal.ts';
import { type Align, cutTo, displayWidth, fit, type Styled, wrapTo } from './display-width.ts';
import { barTexts, LONGEST_BAR, SHORTEST_BAR } from './bars.ts';
import { type Paint, paint, withShadeAsText } from './paint.ts';

/** What to print. A column without a type is numeric if it holds only numbers. */
export interface TableContent {
  readonly columns: readonly CellColumn[];
  /** JSON values in the order of the columns; missing ones are null. */
  readonly rows: readonly (readonly unknown[])[];
  /** Index of the column whose numbers have bars beside them where there is room. */
  readonly bars?: number | undefined;
  /** Lines below the table: `10 of 137 rows, 12 ms`. */
  readonly footer?: readonly string[];
}

export interface TableStyle {
  /** Columns of the terminal; Infinity: cut nothing. */
  readonly width: number;
  readonly color: boolean;
  /** Whether somebody looks at it: digits are grouped and times short. */
  readonly forPeople?: boolean;
}

type Size = Pick<Screen, 'isTTY' | 'columns'>;

/** How to print tables to a stream: as wide as its terminal, or uncut without one. */
export function styleOf(screen: Size, env: NodeJS.ProcessEnv, noColor: boolean): TableStyle {
  const forPeople = screen.isTTY === true;
  const width = forPeople ? screen.columns || USUAL_COLUMNS : Number.POSITIVE_INFINITY;
  return { width, color: !noColor && wantsColor(screen, env), forPeople };
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
 * The table, a header with a rule below it. Lines fit into `width`: the widest columns are cut first, with an ellipsis; numbers and
 * times never are, since part of a number is another number. If the columns still do not fit, those with a rank are left out, then
 * those that are null in every row, which a line says; if that is not enough, every row becomes a record, with a value per line.
 */
export function renderTable(content: TableContent, style: TableStyle): string {
  const { width, color } = style;
  const brush = paint(color);
  const grid = gridOf(content, style);
  const { kept, lines } = fitted(grid, width, brush);
  const notes = leftOut(grid, kept);
  // Not cut: a note may end in the intended name.
  const end = [...(content.footer ?? []), ...notes].flatMap((line) => wrapTo(visible(line), width).map(brush.dim));
  return [...lines, ...(lines.length > 0 && end.length > 0 ? [''] : []), ...end].map((line) => `${line}\n`).join('');
}

interface GridColumn {
  readonly name: string;
  readonly align: Align;
  /** Whether its cells are never cut. */
  readonly whole: boolean;
  readonly rank: number | undefined;
  readonly cells: readonly PrintedCell[];
}

function gridOf({ columns, rows, bars }: TableContent, style: TableStyle): readonly GridColumn[] {
  const { color, forPeople = false } = style;
  const grid = columns.map((column, i) => {
    const printed = rows.map((row) => printedCell(row[i] ?? null, column, { row, forPeople }));
    const cells = color ? printed : printed.map(withShadeAsText);
    const align = alignOf(column, cells);
    const whole = align === 'right' || column.whole === true || column.type === 'time' || column.role === 'bucket';
    return { name: visible(column.name), align, whole, rank: column.rank, cells };
  });
  return bars === undefined || !Number.isFinite(style.width) ? grid : withBars(grid, { rows, bars }, style.width);
}

/** Puts bars beside a column if they have room for the shortest that shows something. */
function withBars(
  grid: readonly GridColumn[],
  { rows, bars }: { rows: TableContent['rows']; bars: number },
  width: number,
): readonly GridColumn[] {
  const taken = grid.reduce((sum, column) => sum + naturalWidth(column, width) + GAP.length, 0);
  const room = Math.min(LONGEST_BAR, width - taken);
  if (room < SHORTEST_BAR) return grid;
  const texts = barTexts(
    rows.map((row) => row[bars]),
    room,
  );
  const cells = texts.map((text): PrintedCell => ({ text, kind: 'text' }));
  return [
    ...grid.slice(0, bars + 1),
    { name: '', align: 'left', whole: true, rank: undefined, cells },
    ...grid.slice(bars + 1),
  ];
}

/** The columns that have room, and their lines. */
function fitted(
  grid: readonly GridColumn[],
  width: number,
  brush: Paint,
): { kept: readonly GridColumn[]; lines: string[] } {
  let kept = grid;
  for (;;) {
    const lines = gridLines(kept, width, brush);
    if (lines !== null) return { kept, lines };
    const fewer = withoutRank(kept) ?? withValues(kept);
    if (fewer.length === kept.length) return { kept, lines: recordLines(kept, width, brush) };
    kept = fewer;
  }
}

/** Without the column of the highest rank; null: none has one. */
function withoutRank(grid: readonly GridColumn[]): readonly GridColumn[] | null {
  const highest = Math.max(...grid.map(({ rank }) => rank ?? -1));
  return highest < 0 ? null : grid.filter(({ rank }) => rank !== highest);
}

/** Without the columns that are null in every row; all if all are. */
function withValues(grid: readonly GridColumn[]): readonly GridColumn[] {
  const kept = grid.filter((column) => !isEmpty(column));
  return kept.length === 0 ? grid : kept;
}

const isEmpty = ({ cells }: GridColumn): boolean => cells.every(({ kind }) => kind === 'null');

function leftOut(grid: readonly GridColumn[], kept: readonly GridColumn[]): readonly string[] {
  const left = grid.filter((column) => !kept.includes(column));
  const named = left.filter(({ rank }) => rank !== undefined).map(({ name }) => name);
  const empty = left.length - named.length;
  return [
    ...(named.length === 0
      ? []
      : [`No room for ${listed(named)}: a wider terminal or --json shows ${named.length === 1 ? 'it' : 'them'}`]),
    ...(empty === 0 ? [] : [`${empty} ${empty === 1 ? 'column' : 'columns'} without a value left out`]),
  ];
}

/** `a, b and c`; of many, the first and the last. */
function listed(names: readonly string[]): string {
  if (names.length > 6) return `${names[0]} to ${names.at(-1)}`;
  return names.length === 1 ? names[0]! : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** null: the columns do not fit side by side. */
function gridLines(grid: readonly GridColumn[], width: number, brush: Paint): string[] | null {
  if (grid.length === 0) return [];
  const widths = widthsOf(grid, width);
  if (widths === null) return null;
  const place = (text: string, i: number, styled: Styled): string =>
    fit(text, widths[i] ?? 0, grid[i]?.align ?? 'left', styled);
  const row = (_: unknown, at: number): string[] =>
    grid.map(({ cells }, i) => {
      const { text, kind, shade } = cells[at]!;
      if (shade !== undefined) return brush.shade(place(text, i, brush.plain), shade);
      return place(text, i, kind === 'null' ? brush.dim : brush.plain);
    });
  return [
    grid.map(({ name }, i) => place(name, i, brush.bold)),
    widths.map((columns, i) => brush.dim((grid[i]?.name === '' ? ' ' : '─').repeat(columns))),
    ...(grid[0]?.cells ?? []).map(row),
  ].map((parts) => parts.join(GAP).trimEnd());
}

function widthsOf(grid: readonly GridColumn[], width: number): number[] | null {
  const natural = grid.map((column) => naturalWidth(column, width));
  const mayLeaveOut = grid.some(({ rank }) => rank !== undefined); // better than names that cannot be read
  const least = grid.map(({ name, whole, cells }, i) => {
    const cut = Math.min(natural[i] ?? 0, mayLeaveOut ? Math.max(MIN_WIDTH, displayWidth(name)) : MIN_WIDTH);
    return whole ? Math.max(cut, widest(cells, width)) : cut;
  });
  return shareWidth(natural, least, width - GAP.length * (grid.length - 1));
}

function naturalWidth({ name, cells }: GridColumn, width: number): number {
  return Math.max(displayWidth(name, width), widest(cells, width));
}

function widest(cells: readonly PrintedCell[], width: number): number {
  return cells.reduce((most, { text }) => Math.max(most, displayWidth(text, width)), 0);
}

function alignOf({ type }: CellColumn, cells: readonly PrintedCell[]): Align {
  if (type !== undefined) return ['number', 'ratio', 'seconds'].includes(type) ? 'right' : 'left';
  const kinds = new Set(cells.map(({ kind }) => kind));
  return kinds.has('number') && !kinds.has('text') ? 'right' : 'left';
}

/** Rows as records, `name  value` a line, for tables with more columns than fit a terminal. Never cuts numbers. */
function recordLines(grid: readonly GridColumn[], width: number, brush: Paint): string[] {
  const longest = grid.reduce((most, { name }) => Math.max(most, displayWidth(name)), 0);
  const nameWidth = Math.max(1, Math.min(longest, Math.floor((width - GAP.length) / 2)));
  const valueWidth = Math.max(1, width - nameWidth - GAP.length);
  return (grid[0]?.cells ?? []).flatMap((_, index) => [
    brush.dim(cutTo(`── ${index + 1} `.padEnd(nameWidth + GAP.length, '─'), width)),
    ...grid.map(({ name, whole, cells }) => {
      const { text, kind } = cells[index]!;
      const value = whole || kind === 'number' ? text : cutTo(text, valueWidth);
      return `${fit(name, nameWidth, 'left', brush.bold)}${GAP}${(kind === 'null' ? brush.dim : brush.plain)(value)}`.trimEnd();
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
