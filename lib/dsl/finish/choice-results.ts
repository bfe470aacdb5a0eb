/** The results of a choice's variants, how certain a difference is, and the verdict. */
import { columnsOf } from '../plan/columns.ts';
import type { ChoicePlan } from '../plan/plan.ts';
import {
  holm,
  type Interval,
  meanInterval,
  personsForPower,
  rateDifferenceInterval,
  rateVariance,
  type Sample,
  SIGNIFICANT,
  twoProportionP,
  welch,
  welchInterval,
  wilsonInterval,
} from '../plan/statistics.ts';
import type { Cell, Experiment, Verdict } from '../plan/table.ts';
import { compareCodePoints, roundComputed } from '../plan/value.ts';
import { numberBins } from './finish.ts';
import { hide } from './hide.ts';
import { orderOf } from './order.ts';
import { selectRows } from './select-rows.ts';

/** The persons of a group who saw this variant alone. */
export interface VariantTally {
  readonly variant: string;
  /** The texts of the plan's groups. */
  readonly group: readonly (string | null)[];
  /** At least one. */
  readonly users: number;
  readonly conversions: number;
  /** With a metric, the numbers of those who have one. */
  readonly numbers: Numbers | null;
}

/** `variance`: of the sample (n - 1); of fewer than two it is not read. Infinite or NaN beyond the range of floats. */
export interface Numbers {
  readonly count: number;
  readonly total: number;
  readonly variance: number;
}

const CONTROL = 'control';
/** Groups of which the notes give a verdict. */
const MOST_VERDICTS = 5;

/** The rows of an answer, in any order. The last cell, `p_adjusted`, is for answers of three variants or more. */
export function resultRows(tallies: readonly VariantTally[]): Cell[][] {
  return tablesOf(tallies).flatMap(rowsOf);
}

/** What the notes of an answer say of an experiment. @param several Persons who saw several variants, and count for none. */
export function experimentOf(plan: ChoicePlan, tallies: readonly VariantTally[], several: number): Experiment {
  const users = new Map<string, number>();
  for (const one of tallies) users.set(one.variant, (users.get(one.variant) ?? 0) + one.users);
  // The verdicts name their groups.
  const columns = columnsOf(plan);
  const tables = tablesOf(
    tallies.map((one) => ({ ...one, group: hide(plan, columns, [one.group])[0]!.map(textOrNull) })),
  );
  return {
    variants: variantsInOrder([...users.keys()]).map((variant) => ({ variant, users: users.get(variant)! })),
    several,
    verdicts: firstTables(plan, tables).map((table) => verdictOf(table, users.size > 2)),
    tables: tables.length,
  };
}

/** Of a group, whose cells are texts. */
const textOrNull = (cell: Cell): string | null => (typeof cell === 'string' ? cell : null);

/** The first variant, with which the others are compared, then these by code point. */
function variantsInOrder(variants: readonly string[]): readonly string[] {
  return variants.toSorted((a, b) => Number(b === CONTROL) - Number(a === CONTROL) || compareCodePoints(a, b));
}

/** The variants that the persons of a group saw. */
interface GroupTable {
  /** null: nobody of the group saw the first variant. */
  readonly first: VariantTally | null;
  /** By code point. */
  readonly others: readonly Compared[];
}

/** A variant beside the first one; `p` null: there is no test. */
interface Compared {
  readonly tally: VariantTally;
  readonly p: number | null;
  readonly adjusted: number | null;
}

/** The first variant is the same for all groups, so that all differences are from it. */
function tablesOf(tallies: readonly VariantTally[]): readonly GroupTable[] {
  const [firstOfAll] = variantsInOrder([...new Set(tallies.map(({ variant }) => variant))]);
  const groups = Map.groupBy(tallies, ({ group }) => JSON.stringify(group));
  return Array.from(groups.values(), (own) => {
    const first = own.find(({ variant }) => variant === firstOfAll) ?? null;
    const others = own.filter((tally) => tally !== first).toSorted((a, b) => compareCodePoints(a.variant, b.variant));
    const tests = others.map((tally) => (first === null ? null : pOf(tally, first)));
    const adjusted = holm(tests);
    return {
      first,
      others: others.map((tally, at) => ({ tally, p: tests[at] ?? null, adjusted: adjusted[at] ?? null })),
    };
  });
}

function rowsOf({ first, others }: GroupTable): Cell[][] {
  const rows = others.map(({ tally, p, adjusted }) =>
    rowOf(tally, first === null ? null : liftOf(tally, first), [p, adjusted]),
  );
  return first === null ? rows : [rowOf(first, null, [null, null]), ...rows];
}

function rowOf(tally: VariantTally, lift: number | null, tests: readonly (number | null)[]): Cell[] {
  const { variant, group, conversions, numbers } = tally;
  const { low, high } = intervalOf(tally) ?? { low: null, high: null };
  const total = numbers === null || numbers.count === 0 ? null : rounded(numbers.total);
  return [
    ...group,
    variant,
    personsIn(tally),
    numbers === null ? conversions : total,
    rounded(valueOf(tally)),
    ...[lift, low, high, ...tests].map(estimated),
  ];
}

/** The same of what is never exact: to 15 digits, also where it happens to be a whole number. */
function estimated(value: number | null): number | null {
  return value === null || !Number.isFinite(value) ? null : Number(value.toPrecision(15)) + 0;
}

/** The persons of a row. */
const personsIn = ({ users, numbers }: VariantTally): number => numbers?.count ?? users;

/** What cannot be computed, or is beyond the range of floats, is null. */
function rounded(value: number | null): number | null {
  const printed = value === null ? NaN : roundComputed(value);
  return Number.isNaN(printed) ? null : printed;
}

/** The rate, or the mean of those who have a number; null where nobody has. */
function valueOf({ users, conversions, numbers }: VariantTally): number | null {
  if (numbers === null) return conversions / users;
  return numbers.count === 0 ? null : numbers.total / numbers.count;
}

function liftOf(own: VariantTally, first: VariantTally): number | null {
  const [value, base] = [valueOf(own), valueOf(first)];
  return value === null || base === null || base === 0 ? null : value / base - 1;
}

function sampleOf({ count, total, variance }: Numbers): Sample {
  return { count, mean: total / count, variance: count < 2 || !Number.isFinite(variance) ? null : variance };
}

function intervalOf(tally: VariantTally): Interval | null {
  return tally.numbers === null ? wilsonInterval(tally) : meanInterval(sampleOf(tally.numbers));
}

function pOf(own: VariantTally, first: VariantTally): number | null {
  if (own.numbers === null || first.numbers === null) return twoProportionP(own, first);
  return welch(sampleOf(own.numbers), sampleOf(first.numbers))?.p ?? null;
}

/** The tables of the first groups, in the order of an answer that sets none. */
function firstTables(plan: ChoicePlan, tables: readonly GroupTable[]): readonly GroupTable[] {
  const columns = columnsOf(plan);
  const rows = tables.map(({ first, others }) => {
    const tallies = [...(first === null ? [] : [first]), ...others.map(({ tally }) => tally)];
    return numberBins(
      columns,
      tallies.map((tally) => [...tally.group, tally.variant, personsIn(tally)]),
    );
  });
  const heads = new Map(rows.map((own, at) => [own[0]!, tables[at]!]));
  const order = orderOf({ ...plan, order: { kind: 'default' } }, columns, rows.flat());
  return selectRows([...heads.keys()], order, 0, MOST_VERDICTS).map((head) => heads.get(head)!);
}

/**
 * Of the variants that a test puts above the first one, the highest. Else of those that no test decides the one that is nearest to
 * a decision. Else all are below the first one: the highest.
 */
function verdictOf({ first, others }: GroupTable, isAdjusted: boolean): Verdict | null {
  if (first === null) return null;
  const base = valueOf(first);
  const tested = others.flatMap(({ tally, p, adjusted }) => {
    const value = valueOf(tally);
    return value === null || base === null ? [] : [{ tally, value, p: isAdjusted ? adjusted : p }];
  });
  const isDecided = ({ p }: { readonly p: number | null }): boolean => p !== null && p < SIGNIFICANT;
  const highest = (some: typeof tested) => some.reduce((best, one) => (one.value > best.value ? one : best), some[0]!);
  const above = tested.filter((one) => isDecided(one) && one.value > base!);
  const open = tested.filter((one) => !isDecided(one));
  const nearest = open.reduce((best, one) => ((one.p ?? 2) < (best?.p ?? 2) ? one : best), open[0]);
  const chosen = above.length > 0 ? highest(above) : (nearest ?? (tested.length > 0 ? highest(tested) : null));
  if (chosen === null || base === null) return null;
  return {
    group: first.group,
    variant: chosen.tally.variant,
    first: first.variant,
    values: [chosen.value, base],
    p: chosen.p,
    ...differenceOf(chosen.tally, first),
  };
}

function differenceOf(own: VariantTally, first: VariantTally): Pick<Verdict, 'interval' | 'more'> {
  if (own.numbers === null || first.numbers === null) {
    const variances = [rateVariance(own), rateVariance(first)] as const;
    const difference = own.conversions / own.users - first.conversions / first.users;
    return {
      interval: rateDifferenceInterval(own, first),
      more: moreOf(variances, difference, [own.users, first.users]),
    };
  }
  const [a, b] = [sampleOf(own.numbers), sampleOf(first.numbers)];
  const test = welch(a, b);
  if (test === null || a.variance === null || b.variance === null) return { interval: null, more: null };
  return { interval: welchInterval(test), more: moreOf([a.variance, b.variance], test.difference, [a.count, b.count]) };
}

/** Beyond what the smaller of the two has. */
function moreOf(variances: readonly [number, number], difference: number, counts: readonly number[]): number | null {
  const wanted = personsForPower(variances, difference);
  return wanted === null || !Number.isFinite(wanted)
    ? null
    : Math.max(0, Math.ceil(roundComputed(wanted)) - Math.min(...counts));
}
