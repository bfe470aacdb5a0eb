/** Groups and metrics over rows, as every source of that kind has them. */
import {
  type Cell,
  type Experiment,
  type FieldGroup,
  formatTime,
  type Group,
  type Metric,
  printedBin,
  type Rolling,
  type TimeRange,
  type Zone,
} from '../../../../lib/seam.ts';
import { bucketColumn, partColumn } from './buckets.ts';
import { kindedWindow } from './windows.ts';
import { metricColumns, type ColumnSql, type PerSql } from './metrics.ts';
import type { Rows } from './rows.ts';
import {
  join,
  name,
  NOTHING,
  nullable,
  numberCell,
  sql,
  textCell,
  type Found,
  type Sql,
  number,
  arrayCell,
  textOrNull,
} from './statement.ts';
import { type GroupKey, type Value, jsonValue } from './values.ts';

/** A statement, and what the rows of its answer are in ours, unordered. */
export interface Question {
  readonly sql: Sql;
  readonly readRows: (found: Found) => Cell[][];
  /** `choice … results` only. */
  readonly experiment?: (found: Found) => Experiment;
}

/** What groups are made by. */
export interface Grouped {
  readonly range: TimeRange;
  readonly zone: string;
  readonly groups: readonly Group[];
  readonly rolling?: Rolling;
}

/** One row per group, and one without groups. */
export function groupedQuestion(rows: Rows, plan: Grouped, metrics: readonly ColumnSql[]): Question {
  const groups = plan.groups.map((group) => groupSql(group, rows, plan));
  const keys = groups.map((_, nth) => name(`g${nth}`));
  const grouped: GroupedRows = {
    rows,
    keys,
    expressions: groups.map(({ columns }) => columns[0] ?? NOTHING),
  };
  const isPlain = metrics.every(({ of }) => of === undefined);
  return {
    sql: isPlain
      ? sql`SELECT ${join([...keyed(grouped), ...metrics.flatMap(({ columns }) => columns)], ', ')} ${rows.from()}${groupBy(keys)}`
      : joinedStatement(grouped, metrics),
    readRows: readColumns([...groups, ...metrics]),
  };
}

interface GroupedRows {
  readonly rows: Rows;
  /** The names of the groups, and what they are. */
  readonly keys: readonly Sql[];
  readonly expressions: readonly Sql[];
}

const keyed = ({ keys, expressions }: GroupedRows): Sql[] =>
  expressions.map((expression, nth) => sql`${expression} AS ${keys[nth] ?? NOTHING}`);

const groupBy = (keys: readonly Sql[]): Sql => (keys.length === 0 ? NOTHING : sql` GROUP BY ${join(keys, ', ')}`);

/** Metrics of rows (counted, so that there is one row without groups), joined with those of values by the groups, as one text. */
function joinedStatement(grouped: GroupedRows, metrics: readonly ColumnSql[]): Sql {
  const { keys, rows } = grouped;
  const alias = (nth: number, at: number): Sql => name(`m${nth}_${at}`);
  const shown = metrics.flatMap(({ columns }, nth) => columns.map((_, at) => alias(nth, at)));
  const named = metrics.map(({ columns }, nth) => columns.map((column, at) => sql`${column} AS ${alias(nth, at)}`));
  const plain = named.filter((_, nth) => metrics[nth]?.of === undefined).flat();
  const all = sql`SELECT ${join([...keyed(grouped), sql`${groupText(keys)} AS whose, count() AS counted`, ...plain], ', ')} ${rows.from()}${groupBy(keys)}`;
  const others = metrics.flatMap(({ of }, nth) =>
    of === undefined
      ? []
      : [
          sql` LEFT ANY JOIN (${perStatement(grouped, of, named[nth]!)}) AS ${name(`of${nth}`)} ON all_rows.whose = ${name(`of${nth}`)}.whose`,
        ],
  );
  return sql`SELECT ${join([...keys, ...shown], ', ')} FROM (${all}) AS all_rows${join(others, ' ')}`;
}

/** A value for each key of each group, and what becomes of them. */
function perStatement(grouped: GroupedRows, { key, isKey, columns, value }: PerSql, outer: readonly Sql[]): Sql {
  const { keys, rows } = grouped;
  const selected = [
    ...keyed(grouped),
    sql`${key} AS k`,
    ...columns.map((column, nth) => sql`${column} AS ${name(`c${nth}`)}`),
  ];
  const split = sql`SELECT ${join(selected, ', ')} ${rows.from()}${groupBy([...keys, sql`k`])} HAVING ${isKey}`;
  const values = sql`SELECT ${groupText(keys)} AS whose, ${value} AS v FROM (${split})`;
  return keys.length === 0
    ? sql`SELECT '' AS whose, ${join(outer, ', ')} FROM (${values})`
    : sql`SELECT whose, ${join(outer, ', ')} FROM (${values}) GROUP BY whose`;
}

const groupText = (keys: readonly Sql[]): Sql =>
  keys.length === 0 ? sql`''` : sql`toJSONString(tuple(${join(keys, ', ')}))`;

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

/** What a row is grouped by, and the cell of that. */
export function groupSql(group: Group, rows: Rows, plan: Grouped): ColumnSql {
  if (group.kind === 'field') return fieldSql(group, rows.value(group.field), rows.zone);
  if (group.kind === 'bucket' && plan.rolling !== undefined) {
    const { window, labels } = kindedWindow(plan, plan.rolling, group.unit, rows.time);
    return { columns: [window], read: ([cell]) => labels[numberCell(cell)] ?? null };
  }
  const { index, labels } =
    group.kind === 'part' ? partColumn(plan, group.part, rows.time) : bucketColumn(plan, group.unit, rows.time);
  const place = group.kind === 'bucket' ? (rows.bucket ?? index) : index;
  return { columns: [place], read: ([cell]) => labels[numberCell(cell)] ?? null };
}

function fieldSql({ bin, each }: FieldGroup, value: Value, zone: Zone): ColumnSql {
  if (bin !== undefined) {
    return {
      columns: [binSql(value.number, bin)],
      read: ([cell]) => nullable(cell, (start) => printedBin(numberCell(start), bin)),
    };
  }
  return keyColumn(each ? { key: eachElement(value), kind: 'text' } : value.group, zone);
}

/** A group's key, and its text. */
export function keyColumn({ key, kind }: GroupKey, zone: Zone): ColumnSql {
  return { columns: [key], read: ([cell]) => groupCell(cell, kind, zone) };
}

function groupCell(cell: unknown, kind: GroupKey['kind'], zone: Zone): Cell {
  if (cell === null || (kind === 'empty' && cell === '')) return null;
  return kind === 'time' ? formatTime(numberCell(cell), zone) : textCell(cell);
}

/** The labels of a row in an answer's groups, as one tuple: a bucket's number, a field's text. */
export interface Labels {
  readonly sql: Sql;
  read(cell: unknown): Cell[];
}

export function labelsOf(plan: Grouped, rows: Rows): Labels {
  const labels = plan.groups.map((group) => {
    if (group.kind === 'field' && group.bin === undefined)
      return { sql: rows.value(group.field).text, read: textOrNull };
    const { columns, read } = groupSql(group, rows, plan);
    return { sql: columns[0]!, read: (cell: unknown) => read([cell === null ? null : Number(cell)]) };
  });
  return {
    sql: sql`tuple(${join([sql`0`, ...labels.map((label) => label.sql)], ', ')})`, // a tuple has at least one element
    read: (cell) =>
      arrayCell(cell)
        .slice(1)
        .map((label, nth) => labels[nth]!.read(label)),
  };
}

// Values that groups divide further: numbers into bins, arrays into elements. Mirrors lib/dsl/plan/bin.ts and elements.ts.

/** Where the bin of a number begins; NULL of no number, and where that is not finite. */
function binSql(value: Sql, width: number): Sql {
  const wide = number(width);
  const near = sql`floor(${value} / ${wide})`;
  const step = sql`greatest(1., abs(${near}) * ${number(Number.EPSILON)})`;
  const start = sql`multiIf((${near} + ${step}) * ${wide} <= ${value}, (${near} + ${step}) * ${wide}, ${near} * ${wide} <= ${value}, ${near} * ${wide}, (${near} - ${step}) * ${wide})`;
  return sql`if(isFinite(${start}), ${start} + 0, NULL)`;
}

/** A row for each distinct element of an array, NULL for one that is null or for none; any other value is its own element. */
function eachElement(value: Value): Sql {
  const json = sql`ifNull(${value.json}, '')`;
  const texts = sql`arrayMap(raw -> ${jsonValue(sql`raw`).text}, JSONExtractArrayRaw(${json}))`;
  const present = sql`arrayDistinct(arrayFilter(t -> t IS NOT NULL, ${texts}))`;
  const missing = sql`if(empty(${texts}) OR arrayExists(t -> t IS NULL, ${texts}), CAST([NULL], 'Array(Nullable(String))'), [])`;
  return sql`arrayJoin(if(startsWith(${json}, '['), arrayConcat(${present}, ${missing}), [${value.text}]))`;
}
