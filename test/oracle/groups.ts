/** Rows → groups; groups → lines with their metrics. */
import type { Group, Metric } from '../../lib/dsl/plan/plan.ts';
import type { Rolling } from '../../lib/dsl/time/windows.ts';
import type { Cell, TableColumn } from '../../lib/dsl/plan/table.ts';
import type { Reader } from './condition.ts';
import { measure, metricColumn, printed } from './metrics.ts';
import { column, defaultOrder, type Line, type Sheet } from './table.ts';
import { groupText, numberOf } from './value.ts';
import { bucketOf, bucketsOf, stepBack } from './zone.ts';
import type { Scope } from './scope.ts';

/** Something to count: its time and its fields. */
export interface Row {
  readonly time: number;
  readonly read: Reader;
}

/** The value of a row in a group: what is printed, and the sort key. */
export interface Label {
  readonly cell: string | number | null;
  readonly key: number | string | null;
}

export interface Pile<R extends Row> {
  readonly labels: readonly Label[];
  readonly rows: readonly R[];
}

/** A row of what each person has one of. */
export function labelOf(group: Group, row: Row, zone: string): Label {
  const [label] = labelsOf(group, row, zone);
  if (label === undefined) throw new Error('a row has a label in each group');
  return label;
}

/** Several of an array's elements. */
function labelsOf(group: Group, row: Row, zone: string): readonly Label[] {
  if (group.kind === 'bucket') return [bucketLabel(bucketOf(row.time, group.unit, zone))];
  if (group.kind === 'part') return [partLabel(row.time, group.part, zone)];
  const value = row.read(group.field);
  if (group.bin !== undefined) return [binLabel(numberOf(value), group.bin)];
  const elements = group.each && Array.isArray(value) ? value.map(groupText) : [groupText(value)];
  const texts = new Set(elements.length === 0 ? [null] : elements);
  return [...texts].map((text) => ({ cell: text, key: text }));
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];
const upTo = (first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, at) => String(first + at).padStart(2, '0'));
/** In the order of the calendar. */
const PARTS = { weekday: WEEKDAYS, hour_of_day: upTo(0, 23), day_of_month: upTo(1, 31), month_of_year: MONTHS };

/** By the day or hour that a bucket prints. */
function partLabel(time: number, part: keyof typeof PARTS, zone: string): Label {
  const { label } = bucketOf(time, part === 'hour_of_day' ? 'hour' : 'day', zone);
  const [year, month, day, hour] = label.split(/[-T:]/).map(Number);
  const places = {
    weekday: (new Date(Date.UTC(year!, month! - 1, day)).getUTCDay() + 6) % 7,
    hour_of_day: hour ?? 0,
    day_of_month: day! - 1,
    month_of_year: month! - 1,
  };
  return { cell: PARTS[part][places[part]]!, key: places[part] };
}

/** The largest whole k for which k times the width is at most the number; the quotient is near it. */
function binLabel(number: number | null, width: number): Label {
  const near = number === null ? NaN : Math.floor(number / width);
  const step = Math.max(1, Math.abs(near) * 2 ** -52); // of whole numbers beyond 2^53 not all are floats
  const k = [2, 1, 0, -1, -2].map((n) => near + n * step).find((one) => one * width <= number!) ?? NaN;
  if (!Number.isFinite(k * width)) return { cell: null, key: null };
  // Rounded where the next one stays another.
  const start = Math.abs(k) < 1e14 ? printed(k * width + 0) : k * width + 0;
  return { cell: start, key: start };
}

function bucketLabel({ start, label }: { start: number; label: string }): Label {
  return { cell: label, key: start };
}

/** Groups rows by their values in all groups. */
export function pileUp<R extends Row>(rows: readonly R[], groups: readonly Group[], zone: string): Pile<R>[] {
  const piles = new Map<string, { labels: readonly Label[]; rows: R[] }>();
  for (const row of rows) {
    for (const labels of combined(groups.map((group) => labelsOf(group, row, zone)))) {
      const name = JSON.stringify(labels);
      const pile = piles.get(name) ?? { labels, rows: [] };
      pile.rows.push(row);
      piles.set(name, pile);
    }
  }
  return [...piles.values()];
}

/** One of each list, in all ways. */
function combined(lists: readonly (readonly Label[])[]): readonly (readonly Label[])[] {
  const [first, ...others] = lists;
  if (first === undefined) return [[]];
  const rest = combined(others);
  return first.flatMap((label) => rest.map((labels) => [label, ...labels]));
}

export function groupColumn(group: Group): TableColumn {
  if (group.kind === 'part') return { ...column(group.column, 'string', 'group'), scale: true };
  if (group.kind === 'field' && group.bin !== undefined) {
    return { ...column(group.column, 'number', 'group'), scale: true };
  }
  return column(group.column, 'string', group.kind === 'bucket' ? 'bucket' : 'group');
}

/** Columns measured over a pile of rows. `empty`: the cells of a filled bucket. */
export interface Measures<R extends Row> {
  readonly columns: readonly TableColumn[];
  readonly measure: (rows: readonly R[]) => readonly Cell[];
  /** Of operands, each over rows of its own. */
  readonly measureEach?: (rows: readonly (readonly R[])[]) => readonly Cell[];
}

export function measuresOf(metrics: readonly Metric[]): Measures<Row> {
  return {
    columns: metrics.map(metricColumn),
    measure: (rows) =>
      metrics.map((metric) =>
        measure(
          metric,
          rows.map((row) => row.read),
        ),
      ),
  };
}

interface TableOptions {
  readonly scope: Scope;
  readonly fill: boolean;
  readonly rolling?: Rolling | undefined;
}

/** A line for every bucket of each combination of the other groups, over the rows of its window. */
function rollUp<R extends Row>(
  rows: readonly R[],
  groups: readonly Group[],
  measures: Measures<R>,
  { scope: { zone }, rolling: { shown, span, spans } }: TableOptions & { readonly rolling: Rolling },
): Sheet {
  const at = groups.findIndex(({ kind }) => kind === 'bucket');
  const bucket = groups[at];
  if (bucket?.kind !== 'bucket') throw new Error('windows without a bucket');
  const piles = pileUp(rows, groups.toSpliced(at, 1), zone);
  if (groups.length === 1 && piles.length === 0) piles.push({ labels: [], rows: [] });
  const buckets = bucketsOf(shown, bucket.unit, zone);
  const kinds = (spans ?? [span]).map((one) => {
    let begun = -Infinity;
    return buckets.map(({ start, end }) => {
      const to = Math.min(end, shown.to);
      const from = one === null ? shown.from : one === 'bucket' ? Math.max(start, shown.from) : stepBack(to, one, zone);
      begun = Math.max(begun, from); // none begins before the one ahead of it
      return { from: begun, to };
    });
  });
  const columns = [...groups.map(groupColumn), ...measures.columns];
  const lines = piles.flatMap((pile) =>
    buckets.map((one, nth) => {
      const own = kinds.map((windows) => {
        const { from, to } = windows[nth]!;
        return pile.rows.filter(({ time }) => from <= time && time < to);
      });
      const cells = measures.measureEach?.(own) ?? measures.measure(own[0] ?? []);
      return lineOf(pile.labels.toSpliced(at, 0, bucketLabel(one)), cells);
    }),
  );
  return { columns, lines, order: defaultOrder(columns) };
}

/** One line per group. Exactly one without groups; if a bucket is the only group, one for every bucket of the range. */
export function tabulate<R extends Row>(
  rows: readonly R[],
  groups: readonly Group[],
  measures: Measures<R>,
  options: TableOptions,
): Sheet {
  if (options.rolling !== undefined) return rollUp(rows, groups, measures, { ...options, rolling: options.rolling });
  const { zone } = options.scope;
  const piles = pileUp(rows, groups, zone);
  const [only] = groups;
  if (groups.length === 0 && piles.length === 0) piles.push({ labels: [], rows: [] });
  if (options.fill && groups.length === 1 && only?.kind === 'bucket') {
    for (const bucket of bucketsOf(options.scope.range, only.unit, zone)) {
      if (piles.some((pile) => pile.labels[0]?.key === bucket.start)) continue;
      piles.push({ labels: [bucketLabel(bucket)], rows: [] });
    }
  }
  if (options.fill && groups.length === 1 && only?.kind === 'part') {
    for (const [key, cell] of PARTS[only.part].entries()) {
      if (!piles.some((pile) => pile.labels[0]?.key === key)) piles.push({ labels: [{ cell, key }], rows: [] });
    }
  }
  const columns = [...groups.map(groupColumn), ...measures.columns];
  const lines = piles.map((pile) => lineOf(pile.labels, measures.measure(pile.rows)));
  return { columns, lines, order: defaultOrder(columns) };
}

/** A line of group labels and cells that are numbers or texts. */
export function lineOf(labels: readonly Label[], cells: readonly Cell[]): Line {
  return {
    cells: [...labels.map((label) => label.cell), ...cells],
    keys: [
      ...labels.map((label) => label.key),
      ...cells.map((cell) => (typeof cell === 'number' || typeof cell === 'string' ? cell : null)),
    ],
  };
}
