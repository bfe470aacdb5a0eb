/** Metrics in SQL: the columns that ClickHouse computes, and the value that becomes of them. */
import {
  type Cell,
  type Field,
  interpolate,
  isComputed,
  isSeconds,
  type Metric,
  roundComputed,
  type RowMetric,
  SECOND_MS,
  unreachable,
} from '../../../../lib/seam.ts';
import { conditionSql } from './conditions.ts';
import { all, name, NOTHING, sql, whole, type Sql, nullable, numberCell, textCell, type Cells } from './statement.ts';
import type { Rows } from './rows.ts';
import type { Value } from './values.ts';

type Read = Pick<Rows, 'value' | 'project'>;

/** A column of an answer: what ClickHouse computes for it, and the cell of that. */
export interface ColumnSql {
  readonly columns: readonly Sql[];
  readonly read: (cells: Cells) => Cell;
  /** The columns are of `v`, the values that another statement makes. */
  readonly of?: PerSql;
}

/** A value for each key, `k`: computed of columns `c0` … over the rows that have it. */
export interface PerSql {
  readonly key: Sql;
  readonly isKey: Sql;
  readonly columns: readonly Sql[];
  readonly value: Sql;
}

/** @param among Which rows there are; null: all. */
export function metricColumns(metric: Metric, rows: Read, among: Sql | null = null): ColumnSql {
  if (metric.kind !== 'per') return rowColumns(metric, rows, among);
  const { columns } = rowColumns(metric.of, rows, among);
  const names = columns.map((_, nth) => name(`c${nth}`));
  const { group, hash } = rows.value(metric.field);
  const isKey = hash !== undefined ? sql`k != 0` : group.kind === 'empty' ? sql`k != ''` : sql`k IS NOT NULL`;
  return {
    ...ofNumbers({ kind: metric.aggregate, p: metric.p, isComputed: true }, sql`v`, 1),
    of: { key: hash ?? group.key, isKey, columns, value: printedNumber(metric.of, names) },
  };
}

function rowColumns(metric: RowMetric, rows: Read, among: Sql | null): ColumnSql {
  const only = both(
    among,
    metric.where === undefined ? null : conditionSql(metric.where, (field) => rows.value(field)),
  );
  if (metric.kind === 'count')
    return { columns: [only === null ? sql`count()` : sql`countIf(${only})`], read: counted };
  const value = rows.value(metric.field);
  if (metric.kind === 'unique') return { columns: [uniqueTexts(value, only)], read: counted };
  if (metric.kind === 'mode')
    return { columns: [mostFrequent(when(value.text, only))], read: ([cell]) => nullable(cell, textCell) };
  // Seconds are whole milliseconds: measured so, and divided once.
  const unit = unitOf(metric.field);
  const given = when(value.number, only);
  const number = unit === 1 ? given : sql`round(${given} * ${whole(unit)})`;
  return ofNumbers(reductionOf(metric), number, unit);
}

const unitOf = (field: Field): number => (isSeconds(field) ? SECOND_MS : 1);

type NumberMetric = Exclude<RowMetric, { readonly kind: 'count' | 'unique' | 'mode' }>;

/** One number of several. @property isComputed Whether it is printed as computed numbers are. */
interface Reduction {
  readonly kind: NumberMetric['kind'];
  readonly p: number | null;
  readonly isComputed: boolean;
}

const reductionOf = (metric: NumberMetric): Reduction => ({
  kind: metric.kind,
  p: metric.kind === 'percentile' ? metric.p : null,
  isComputed: isComputed(metric),
});

function ofNumbers({ kind, p, isComputed: computed }: Reduction, number: Sql, unit: number): ColumnSql {
  const one = (column: Sql): ColumnSql => ({
    columns: [column],
    read: ([cell]) =>
      nullable(cell, (value) => {
        const measured = numberCell(value) / unit;
        return numberOrNone(computed ? roundComputed(measured) : measured);
      }),
  });
  switch (kind) {
    case 'sum':
      return one(sql`sumKahanOrNull(${number})`);
    case 'avg':
      return one(sql`sumKahanOrNull(${number}) / count(${number})`);
    case 'stddev':
      return one(sql`if(count(${number}) < 2, NULL, stddevSampStable(${number}))`);
    case 'min':
      return one(sql`minOrNull(${number})`);
    case 'max':
      return one(sql`maxOrNull(${number})`);
    case 'percentile':
      return percentile(number, p ?? NaN, unit);
    default:
      return unreachable(kind);
  }
}

/** Linear between the closest ranks. ClickHouse interpolates too, but with a rank that is exact for quarters only. */
function percentile(number: Sql, p: number, unit: number): ColumnSql {
  const sorted = sql`arraySort(groupArray(${number}))`;
  const rank = sql`(length(${sorted}) - 1) * ${whole(p)}`;
  const at = (nth: Sql): Sql => sql`${sorted}[${nth} + 1]`;
  return {
    columns: [sql`count(${number})`, at(sql`intDiv(${rank}, 100)`), at(sql`intDiv(${rank} + 99, 100)`)],
    read: ([count, low, high]) => {
      const n = numberCell(count);
      if (n === 0) return null;
      const rank = ((n - 1) * p) / 100;
      const [below, above] = [nullable(low, numberCell), nullable(high, numberCell)];
      // ClickHouse writes infinite numbers as null.
      if (below === null || above === null) return null;
      return numberOrNone(roundComputed(interpolate(below, above, rank - Math.floor(rank)) / unit));
    },
  };
}

/** The number that an answer would print of a metric's columns, in SQL. */
function printedNumber(metric: RowMetric, [first = NOTHING, low = NOTHING, high = NOTHING]: readonly Sql[]): Sql {
  if (metric.kind === 'count' || metric.kind === 'unique') return sql`toFloat64(${first})`;
  if (metric.kind === 'mode') throw new Error('the values of a metric are numbers: binding refuses others');
  const number = metric.kind === 'percentile' ? interpolated(metric.p, first, low, high) : first;
  const unit = unitOf(metric.field);
  const value = unit === 1 ? number : sql`(${number} / ${whole(unit)})`;
  const given = sql`nullIf(nullIf(${value}, inf), -inf)`;
  return isComputed(metric) ? roundedSql(given) : given;
}

/** As `roundComputed` does: whole numbers exactly, others to 15 digits. */
export const roundedSql = (number: Sql): Sql =>
  sql`arrayMap(x -> multiIf(x IS NULL, NULL, x = trunc(x), x, toFloat64(printf('%.14e', assumeNotNull(x)))), [${number}])[1]`;

/** As `interpolate` does. */
function interpolated(p: number, count: Sql, low: Sql, high: Sql): Sql {
  const rank = sql`((toFloat64(${count}) - 1) * ${whole(p)} / 100)`;
  const share = sql`(${rank} - floor(${rank}))`;
  const step = sql`(${high} - ${low})`;
  return sql`multiIf(${count} = 0, NULL, ${share} = 0, ${low}, NOT isFinite(${step}), ${low} * (1 - ${share}) + ${high} * ${share}, ${share} < 0.5, ${low} + ${step} * ${share}, ${high} - ${step} * (1 - ${share}))`;
}

/** How many different texts: ClickHouse compares 128 bits of a hash of each, or the 64 that are stored of persons. */
function uniqueTexts({ group, hash }: Value, only: Sql | null): Sql {
  if (hash !== undefined)
    return sql`uniqExactIf(${hash}, ${all([sql`${hash} != 0`, ...(only === null ? [] : [only])])})`;
  if (group.kind !== 'empty') return sql`uniqExact(${when(group.key, only)})`;
  const present = sql`${group.key} != ''`;
  return sql`uniqExactIf(${group.key}, ${all([present, ...(only === null ? [] : [only])])})`;
}

/** Of several, the first by code point: `sumMap` sorts its keys. NULL of none. */
function mostFrequent(text: Sql): Sql {
  const counts = sql`sumMapIf([assumeNotNull(${text})], [toUInt64(1)], ${text} IS NOT NULL)`;
  return sql`if(empty(${counts}.1), NULL, ${counts}.1[indexOf(${counts}.2, arrayMax(${counts}.2))])`;
}

const both = (one: Sql | null, two: Sql | null): Sql | null =>
  one === null ? two : two === null ? one : all([one, two]);

const when = (value: Sql, only: Sql | null): Sql => (only === null ? value : sql`if(${only}, ${value}, NULL)`);

const numberOrNone = (value: number): number | null => (Number.isFinite(value) ? value : null);

const counted = ([cell]: Cells): number => numberCell(cell);
