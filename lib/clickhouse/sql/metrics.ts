/** Metrics in SQL: the columns that ClickHouse computes, and the value that becomes of them. */
import { interpolate } from '../../base/interpolate.ts';
import { isSeconds, SECOND_MS } from '../../dsl/plan/fields.ts';
import type { Metric } from '../../dsl/plan/plan.ts';
import type { Cell } from '../../dsl/plan/table.ts';
import { unreachable } from '../../base/unreachable.ts';
import { exactMoments, FarNumbers, momentColumns, quickColumns, quickSum, standardDeviation } from './exact-sums.ts';
import { all, hundredths, sql, whole, type Sql, nullable, numberCell, textCell, type Cells } from './statement.ts';
import type { Rows } from './rows.ts';
import type { Value } from './values.ts';

type Read = Pick<Rows, 'value' | 'project'>;

/** A column of an answer: what ClickHouse computes for it, and the cell of that. */
export interface ColumnSql {
  readonly columns: readonly Sql[];
  readonly read: (cells: Cells) => Cell;
}

/** @param only Which rows count; null: all. */
export function metricColumns(metric: Metric, rows: Read, only: Sql | null = null): ColumnSql {
  if (metric.kind === 'count')
    return { columns: [only === null ? sql`count()` : sql`countIf(${only})`], read: counted };
  const value = rows.value(metric.field);
  if (metric.kind === 'unique') return { columns: [uniqueTexts(value, only)], read: counted };
  if (metric.kind === 'mode')
    return { columns: [mostFrequent(when(value.text, only))], read: ([cell]) => nullable(cell, textCell) };
  // Seconds are whole milliseconds: measured so, and divided once.
  const unit = isSeconds(metric.field) ? SECOND_MS : 1;
  const given = when(value.number, only);
  const number = unit === 1 ? given : sql`round(${given} * ${whole(unit)})`;
  const how = { unit, quick: rows.project.hasFarNumbers !== true };
  return metric.kind === 'sum' || metric.kind === 'avg' ? summed(metric, number, how) : ofNumbers(metric, number, how);
}

type NumberMetric = Extract<Metric, { readonly kind: 'min' | 'max' | 'stddev' | 'percentile' }>;

interface How {
  readonly unit: number;
  /** Far numbers are none of it: `FarNumbers` is thrown for them. */
  readonly quick: boolean;
}

function ofNumbers(metric: NumberMetric, number: Sql, how: How): ColumnSql {
  const { unit } = how;
  const divided = ([cell]: Cells): Cell => nullable(cell, (value) => numberCell(value) / unit);
  switch (metric.kind) {
    case 'stddev':
      return {
        columns: momentColumns(number, 'squares'),
        read: (cells) => {
          const deviation = standardDeviation(exactMoments(cells));
          return deviation === null ? null : finite(deviation / unit);
        },
      };
    case 'min':
      return { columns: [sql`minOrNull(${number})`], read: divided };
    case 'max':
      return { columns: [sql`maxOrNull(${number})`], read: divided };
    case 'percentile':
      return percentile(number, metric.p, how);
    default:
      return unreachable(metric);
  }
}

function summed({ kind }: Metric, number: Sql, { unit, quick }: How): ColumnSql {
  return {
    columns: quick ? quickColumns(number) : momentColumns(number, 'sums'),
    read: (cells) => {
      const { count, quotient } = quick ? quickSum(cells) : exactMoments(cells);
      if (count === 0) return null;
      return finite(quotient(kind === 'sum' ? unit : unit * count));
    },
  };
}

/** Linear between the closest ranks. ClickHouse interpolates too, but with a rank that is exact for quarters only. */
function percentile(number: Sql, p: number, { unit, quick }: How): ColumnSql {
  if (p % QUARTER === 0 && quick) return quarter(number, p, unit);
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
      return below === null || above === null ? null : interpolate(below, above, rank - Math.floor(rank)) / unit;
    },
  };
}

/** ClickHouse interpolates by the difference of two numbers, which may be infinite: it writes null then, as it does of none. */
function quarter(number: Sql, p: number, unit: number): ColumnSql {
  return {
    columns: [sql`count(${number})`, sql`quantileExactInclusive(${hundredths(p)})(${number})`],
    read: ([count, cell]) => {
      if (cell === null && numberCell(count) > 0) throw new FarNumbers();
      return nullable(cell, (value) => numberCell(value) / unit);
    },
  };
}

const QUARTER = 25;

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

const when = (value: Sql, only: Sql | null): Sql => (only === null ? value : sql`if(${only}, ${value}, NULL)`);

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

const counted = ([cell]: Cells): number => numberCell(cell);
