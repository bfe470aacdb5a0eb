/**
 * Metrics over windows of time that overlap. Rows are gathered once, by the cells that windows are made of (`cellsOf`), and the
 * states of a window's cells are put together here.
 */
import type { Group, Metric, Plan } from '../../dsl/plan/plan.ts';
import { zoneOf } from '../../dsl/plan/columns.ts';
import type { TimeUnit } from '../../dsl/time/units.ts';
import { cellsOf, windowsOf, type Cells, type Rolling } from '../../dsl/time/windows.ts';
import { tooManyGroups } from '../budget.ts';
import { PairIds } from '../groups/pair-ids.ts';
import type { CellGroups } from './cell-groups.ts';
import { mergeExtremes } from './extreme.ts';
import { mergeGroups, type MergedGroups, type MergeLimits } from './merge-groups.ts';
import {
  mergeCounts,
  numbersOf,
  onlyState,
  shownValues,
  valuesOf,
  type MergedMetrics,
  type StateValues,
} from './merge-metrics.ts';
import { sourcesOf } from './registry.ts';
import type { GroupsPartial, MetricPartial } from './metric-partial.ts';
import { knownValues, valueOfNumbers, type MetricValues, type StateKind } from './metric-state.ts';
import { slide, type Adding } from './slide.ts';
import { mergeSums, roundedOff, valuesOfSums } from './sum.ts';
import { rollUnique } from './unique/roll-unique.ts';

/** Groups with one time bucket, and its windows. */
export type RollingPlan = Pick<Plan, 'zone' | 'range'> & {
  readonly groups: readonly Group[];
  readonly rolling: Rolling;
};

interface Layout {
  /** Which group is the bucket. */
  readonly column: number;
  /** Of the plan's windows, or of each operand's. */
  readonly cells: readonly Cells[];
  /** Of the buckets. */
  readonly labels: readonly string[];
}

function layoutOf({ zone, range, groups, rolling: { shown, span, spans = [] } }: RollingPlan): Layout {
  const column = groups.findIndex(({ kind }) => kind === 'bucket');
  const kinds = spans.length === 0 ? [span] : spans;
  const windows = kinds.map((one) => windowsOf(shown, one, unitOf(groups[column]), zoneOf({ zone })));
  return { column, cells: cellsOf(windows, range.from), labels: windows[0]!.labels };
}

function unitOf(group: Group | undefined): TimeUnit {
  if (group?.kind !== 'bucket') throw new Error('windows without a bucket');
  return group.unit;
}

/** First instants of the cells. */
export const cellStarts = (plan: RollingPlan): Float64Array => layoutOf(plan).cells[0]!.starts;

export interface RolledGroups {
  /** Of every window: those of one group are together, in the order of the buckets. */
  readonly groups: MergedGroups;
  /** By cells. */
  readonly merged: MergedGroups;
  /** By kind of windows. */
  readonly byCell: readonly CellGroups[];
}

export function rollGroups(parts: readonly GroupsPartial[], plan: RollingPlan, limits: MergeLimits): RolledGroups {
  const { column, cells, labels } = layoutOf(plan);
  const merged = mergeGroups(parts, plan.groups.length, limits);
  const { outers, examples } = withoutTime(merged, column, plan.groups.length, limits);
  const cellOf = Uint32Array.from({ length: merged.count }, (_, group) => Number(merged.text(column, group)));
  const count = examples.length * labels.length;
  if (count > limits.maxGroups) throw tooManyGroups(limits.maxGroups);
  const text = (at: number, group: number): string | null =>
    at === column ? labels[group % labels.length]! : merged.text(at, examples[Math.floor(group / labels.length)]!);
  return {
    groups: { count, text, id: (_, group) => group, compare: () => 0, places: [] },
    merged,
    byCell: cells.map((own) => ({ cells: own, outers, cellOf, count: examples.length })),
  };
}

export function rollMetrics(
  parts: readonly GroupsPartial[],
  plan: RollingPlan,
  metrics: readonly Metric[],
  limits: MergeLimits,
): MergedMetrics {
  const { groups, merged, byCell } = rollGroups(parts, plan, limits);
  const rolled = { merged, groups: byCell[0]!, limits };
  return { groups, values: metrics.map((_, nth) => knownValues(numbersOf(rollMetric(parts, metrics, nth, rolled)))) };
}

/** The values of one of the metrics that the parts found. */
export function rollMetric(
  parts: readonly GroupsPartial[],
  metrics: readonly Metric[],
  nth: number,
  of: Rolled,
): MetricValues {
  const { sources, of: sourceOf } = sourcesOf(metrics);
  const [metric, at] = [metrics[nth]!, sourceOf[nth]!];
  const { kind } = sources[at]!;
  if (kind === 'per') throw new Error('metrics per field do not roll: binding refuses them');
  const values = rollState(kind, parts.map((part) => part.metrics[at]!), of); // prettier-ignore
  return shownValues(metric, valuesOf(values, metric, null));
}

/** Numbers the groups without their time; `examples`: a merged group of each. */
function withoutTime(
  merged: MergedGroups,
  column: number,
  columns: number,
  limits: MergeLimits,
): { readonly outers: Uint32Array; readonly examples: readonly number[] } {
  const others = Array.from({ length: columns }, (_, at) => at).filter((at) => at !== column);
  let outers = new Uint32Array(merged.count);
  for (const at of others) {
    const pairs = new PairIds(limits);
    outers = Uint32Array.from(pairs.idsOf(outers, outers.map((_, group) => merged.id(at, group)))); // prettier-ignore
    pairs.release();
  }
  const examples: number[] = [];
  for (let group = 0; group < outers.length; group++) examples[outers[group]!] ??= group;
  return { outers, examples };
}

export interface Rolled {
  readonly merged: MergedGroups;
  readonly groups: CellGroups;
  readonly limits: MergeLimits;
}

function rollState(kind: StateKind, parts: readonly MetricPartial[], { merged, groups, limits }: Rolled): StateValues {
  switch (kind) {
    case 'count': {
      const counts = mergeCounts(onlyState(kind, parts), { groups: merged, limits });
      const [rolled] = rollNumbers([counts], groups, { empty: [0], add: ([a = 0], [b = 0]) => [a + b] });
      return { count: valueOfNumbers(rolled!) };
    }
    case 'sum': {
      const { sums, errors, counts } = mergeSums(onlyState(kind, parts), { groups: merged, limits });
      const [ofSums, ofErrors, ofCounts] = rollNumbers([sums, errors, counts], groups, {
        empty: [0, 0, 0],
        add: addSums,
      });
      return valuesOfSums({ sums: ofSums!, errors: ofErrors!, counts: ofCounts! });
    }
    case 'min':
    case 'max': {
      const values = mergeExtremes(kind, onlyState(kind, parts), { groups: merged, limits });
      const better = kind === 'max' ? Math.max : Math.min;
      const add = ([a = NaN]: State, [b = NaN]: State): State => [
        Number.isNaN(a) ? b : Number.isNaN(b) ? a : better(a, b),
      ];
      const [rolled] = rollNumbers([values], groups, { empty: [NaN], add });
      return { [kind]: valueOfNumbers(rolled!) };
    }
    case 'unique': {
      return { unique: valueOfNumbers(rollUnique(onlyState(kind, parts), merged.places, groups, limits)) };
    }
    default:
      throw new Error(`${kind} does not roll: binding refuses it`);
  }
}

type State = readonly number[];

const addSums: Adding<State>['add'] = ([a = 0, errorOfA = 0, countOfA = 0], [b = 0, errorOfB = 0, countOfB = 0]) => [
  a + b,
  errorOfA + errorOfB + roundedOff(a, b),
  countOfA + countOfB,
];

/** The state of every window, from those of cells, as one array for each of its numbers. */
function rollNumbers(
  states: readonly Float64Array[],
  groups: CellGroups,
  adding: Adding<State>,
): Float64Array<ArrayBuffer>[] {
  const rolled = states.map(() => new Float64Array(groups.count * groups.cells.first.length));
  slide(groups, {
    ...adding,
    of: (group): State => states.map((values) => values[group]!),
    use: (window, state) => {
      for (const [nth, value] of state.entries()) rolled[nth]![window] = value;
    },
  });
  return rolled;
}
