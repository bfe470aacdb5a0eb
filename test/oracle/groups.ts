/** Rows → groups; groups → lines with their metrics. */
import type { Group, Metric } from '../../lib/dsl/plan/plan.ts';
import type { Cell, TableColumn } from '../../lib/dsl/plan/table.ts';
import type { Reader } from './condition.ts';
import { measure, metricColumn } from './metrics.ts';
import { column, defaultOrder, type Line, type Sheet } from './table.ts';
import { groupText } from './value.ts';
import { bucketOf, bucketsOf } from './zone.ts';
import type { Scope } from './scope.ts';

/** Something to count: its time and its fields. */
export interface Row {
  readonly time: number;
  readonly read: Reader;
}

/** The value of a row in a group: what is printed, and the sort key. */
export interface Label {
  readonly cell: string | null;
  readonly key: number | string | null;
}

export interface Pile<R extends Row> {
  readonly labels: readonly Label[];
  readonly rows: readonly R[];
}

export function labelOf(group: Group, row: Row, zone: string): Label {
  if (group.kind === 'bucket') return bucketLabel(bucketOf(row.time, group.unit, zone));
  const text = groupText(row.read(group.field));
  return { cell: text, key: text };
}

function bucketLabel({ start, label }: { start: number; label: string }): Label {
  return { cell: label, key: start };
}

/** Groups rows by their values in all groups. */
export function pileUp<R extends Row>(rows: readonly R[], groups: readonly Group[], zone: string): Pile<R>[] {
  const piles = new Map<string, { labels: readonly Label[]; rows: R[] }>();
  for (const row of rows) {
    const labels = groups.map((group) => labelOf(group, row, zone));
    const name = JSON.stringify(labels);
    const pile = piles.get(name) ?? { labels, rows: [] };
    pile.rows.push(row);
    piles.set(name, pile);
  }
  return [...piles.values()];
}

export function groupColumn(group: Group): TableColumn {
  return column(group.column, 'string', group.kind === 'bucket' ? 'bucket' : 'group');
}

/** Columns measured over a pile of rows. `empty`: the cells of a filled bucket. */
export interface Measures<R extends Row> {
  readonly columns: readonly TableColumn[];
  readonly measure: (rows: readonly R[]) => readonly Cell[];
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

/** One line per group. Exactly one without groups; if a bucket is the only group, one for every bucket of the range. */
export function tabulate<R extends Row>(
  rows: readonly R[],
  groups: readonly Group[],
  measures: Measures<R>,
  options: { readonly scope: Scope; readonly fill: boolean },
): Sheet {
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
