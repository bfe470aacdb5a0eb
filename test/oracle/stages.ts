/** Stages that work on all rows of an answer. */
import type { Plan, TableStage } from '../../lib/dsl/plan/plan.ts';
import type { Cell, TableColumn } from '../../lib/dsl/plan/table.ts';
import type { TimeUnit } from '../../lib/dsl/time/units.ts';
import { holds } from './condition.ts';
import { exactQuotient, printed } from './metrics.ts';
import { column, type Line, type Sheet } from './table.ts';
import { Instant, type Value } from './value.ts';
import { bucketsOf } from './zone.ts';

type Stage<K extends TableStage['kind']> = TableStage & { readonly kind: K };

/** @param sheetOf The sheet of the plan, before its stages, over another range or of no events. */
export interface Others {
  readonly over: (range: Plan['range']) => Sheet;
  /** Cells of the metrics of which nothing was counted. */
  readonly nothing: () => readonly Cell[];
}

/** The sheet after the stages that work on all of its rows. Its order stays that of the lines before. */
export function afterStages(sheet: Sheet, plan: Plan, others: Others): Sheet {
  return plan.tableStages.reduce((before, stage) => {
    switch (stage.kind) {
      case 'compare':
        return compare(before, plan, stage, others);
      case 'share':
        return share(before, stage);
      case 'having':
        return having(before, stage, plan.zone);
    }
  }, sheet);
}

function having(sheet: Sheet, { condition }: Stage<'having'>, zone: string): Sheet {
  const passes = ({ cells }: Line): boolean =>
    holds(condition, (at) => valueOfCell(cells[at] ?? null, sheet.columns[at]!, zone));
  return { ...sheet, lines: sheet.lines.filter(passes) };
}

/** What a printed cell is as a value: a time is an instant, a path its text. */
function valueOfCell(cell: Cell, { type, role }: TableColumn, zone: string): Value {
  if (type === 'time' && typeof cell === 'number') return new Instant(cell, zone);
  if (type === 'json' && role === 'group' && Array.isArray(cell)) {
    return cell.map((label) => (typeof label === 'string' ? label : '(none)')).join(' -> ');
  }
  return cell;
}

/** Of the sum over all rows, or those of the same bucket. */
function share(sheet: Sheet, { metric }: Stage<'share'>): Sheet {
  const buckets = sheet.columns.flatMap(({ role }, at) => (role === 'bucket' ? [at] : []));
  const shareOf = (line: Line): number | null => {
    const same = sheet.lines.filter((other) => buckets.every((at) => other.cells[at] === line.cells[at]));
    const sum = exactQuotient(
      same.map((other) => other.cells[metric]).filter((cell) => typeof cell === 'number'),
      1,
    );
    const own = line.cells[metric];
    return typeof own !== 'number' || sum === 0 || sum === null ? null : printed(own / sum);
  };
  const columns = sheet.columns.toSpliced(metric + 1, 0, column('share', 'ratio', 'metric'));
  return withLines(sheet, columns, sheet.lines.map((line) => ({ line, cells: line.cells.toSpliced(metric + 1, 0, shareOf(line)) }))); // prettier-ignore
}

function compare(sheet: Sheet, plan: Plan, { range, metrics }: Stage<'compare'>, { over, nothing }: Others): Sheet {
  const isMetric = sheet.columns.map(({ role }) => role === 'metric');
  const nameOf = ({ cells }: Line): string => JSON.stringify(cells.filter((_, at) => !isMetric[at]));
  const earlier = over(range).lines.flatMap((line) => moved(line, sheet, plan, range) ?? []);
  const none = nothing();
  const empty = (line: Line): Line => {
    const fill = (own: readonly Cell[]): Cell[] => own.map((cell, at) => (isMetric[at] === false ? cell : (none[isMetric.slice(0, at).filter(Boolean).length] ?? null))); // prettier-ignore
    const keys = fill(line.keys).map((cell) => (typeof cell === 'number' || typeof cell === 'string' ? cell : null));
    return { cells: fill(line.cells), keys: keys.map((key, at) => (at < isMetric.length ? key : 0)) };
  };
  const cellsOf = (now: Line, before: Line | null): Cell[] =>
    now.cells.flatMap((cell, at) => {
      if (!metrics.includes(at)) return [cell];
      const previous = before?.cells[at] ?? null;
      const isChange = typeof cell === 'number' && typeof previous === 'number' && previous !== 0;
      return [cell, previous, isChange ? printed(cell / previous - 1) : null];
    });
  const present = new Set(sheet.lines.map(nameOf));
  const had = (line: Line): boolean =>
    line.cells.every((_, at) => sheet.columns[at]!.role !== 'bucket' || numberOfBucket(line, at, plan.range, plan) < bucketsOf(range, unitOf(plan, at), plan.zone).length); // prettier-ignore
  const lines = [
    ...sheet.lines.map((line) => ({ line, before: earlier.find((other) => nameOf(other) === nameOf(line)) ?? (had(line) ? empty(line) : null) })), // prettier-ignore
    ...earlier.filter((line) => !present.has(nameOf(line))).map((before) => ({ line: empty(before), before })),
  ];
  const columns = sheet.columns.flatMap((own, at) =>
    metrics.includes(at)
      ? [own, column(`${own.name}_previous`, own.type, 'metric'), column(`${own.name}_change`, 'ratio', 'metric')]
      : [own],
  );
  return withLines(sheet, columns, lines.map(({ line, before }) => ({ line, cells: cellsOf(line, before) }))); // prettier-ignore
}

/** An earlier line, its buckets named as the present ones of the same number; null: there is none of that number. */
function moved(line: Line, { columns }: Sheet, plan: Plan, range: Plan['range']): Line | null {
  const cells = [...line.cells];
  const keys = [...line.keys];
  for (const [at, { role }] of columns.entries()) {
    if (role !== 'bucket') continue;
    const bucket = bucketsOf(plan.range, unitOf(plan, at), plan.zone)[numberOfBucket(line, at, range, plan)];
    if (bucket === undefined) return null;
    [cells[at], keys[at]] = [bucket.label, bucket.start];
  }
  return { cells, keys };
}

const numberOfBucket = (line: Line, at: number, range: Plan['range'], plan: Plan): number =>
  bucketsOf(range, unitOf(plan, at), plan.zone).findIndex(({ start }) => start === line.keys[at]);

function unitOf(plan: Plan, at: number): TimeUnit {
  if (plan.kind === 'lifecycle') return plan.unit;
  const group = 'groups' in plan ? plan.groups[at] : null;
  if (group?.kind !== 'bucket') throw new Error('a column that is no bucket');
  return group.unit;
}

/** Lines with other cells, in the order of the lines that they were. */
function withLines(
  { order }: Sheet,
  columns: readonly TableColumn[],
  changed: readonly { readonly line: Line; readonly cells: readonly Cell[] }[],
): Sheet {
  const were = new Map<Line, Line>();
  const lines = changed.map(({ line, cells }) => {
    const keys = cells.map((cell, at) => (columns[at]!.role === 'bucket' ? (line.keys[at] ?? null) : typeof cell === 'number' || typeof cell === 'string' ? cell : null)); // prettier-ignore
    const now = { cells, keys };
    were.set(now, line);
    return now;
  });
  return { columns, lines, order: (a, b) => order(were.get(a) ?? a, were.get(b) ?? b) };
}
