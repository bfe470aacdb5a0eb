/** Groups and metrics over rows, as every source of that kind has them. */
import type { Zone } from '../../dsl/time/zone.ts';
import { formatTime } from '../../dsl/time/format-time.ts';
import type { Group, Metric } from '../../dsl/plan/plan.ts';
import type { Cell, Observations } from '../../dsl/plan/table.ts';
import type { TimeRange } from '../../dsl/time/units.ts';
import { bucketColumn } from './buckets.ts';
import { metricColumns, type ColumnSql } from './metrics.ts';
import type { Rows } from './rows.ts';
import { join, name, NOTHING, numberCell, sql, textCell, type Found, type Sql } from './statement.ts';
import type { GroupKey } from './values.ts';

/** A statement, and what the rows of its answer are in ours, unordered. */
export interface Question {
  readonly sql: Sql;
  readonly readRows: (found: Found) => Cell[][];
  /** `choice … results` only. */
  readonly exposures?: (found: Found) => NonNullable<Observations['exposures']>;
}

/** What groups are made by. */
export interface Grouped {
  readonly range: TimeRange;
  readonly zone: string;
  readonly groups: readonly Group[];
}

/** One row per group, and one without groups. */
export function groupedQuestion(rows: Rows, plan: Grouped, metrics: readonly ColumnSql[]): Question {
  const groups = plan.groups.map((group) => groupSql(group, rows, plan));
  const keys = groups.map((_, nth) => name(`g${nth}`));
  const selected = [
    ...groups.map(({ columns }, nth) => sql`${columns[0] ?? NOTHING} AS ${keys[nth] ?? NOTHING}`),
    ...metrics.flatMap(({ columns }) => columns),
  ];
  const by = keys.length === 0 ? NOTHING : sql` GROUP BY ${join(keys, ', ')}`;
  return {
    sql: sql`SELECT ${join(selected, ', ')} ${rows.from()}${by}`,
    readRows: readColumns([...groups, ...metrics]),
  };
}

/** The metrics of a plan over rows. */
export function metricsOf(metrics: readonly Metric[], rows: Rows): ColumnSql[] {
  return metrics.map((metric) => metricColumns(metric, rows));
}

/** Reads the cells of rows by the columns that they are of. */
export function readColumns(columns: readonly ColumnSql[]): Question['readRows'] {
  return (found) =>
    found.map((cells) => {
      let at = 0;
      return columns.map(({ columns: own, read }) => read(cells.slice(at, (at += own.length))));
    });
}

function groupSql(group: Group, rows: Rows, plan: Grouped): ColumnSql {
  if (group.kind === 'field') return keyColumn(rows.value(group.field).group, rows.zone);
  const { index, labels } = bucketColumn(plan, group.unit, rows.time);
  return { columns: [index], read: ([cell]) => labels[numberCell(cell)] ?? null };
}

/** A group's key, and its text. */
export function keyColumn({ key, kind }: GroupKey, zone: Zone): ColumnSql {
  return { columns: [key], read: ([cell]) => groupCell(cell, kind, zone) };
}

function groupCell(cell: unknown, kind: GroupKey['kind'], zone: Zone): Cell {
  if (cell === null || (kind === 'empty' && cell === '')) return null;
  return kind === 'time' ? formatTime(numberCell(cell), zone) : textCell(cell);
}
