/** `choice k | results e`: what those who saw a variant did then, and the certainty of a difference. */
import type { ChoicePlan, PersonMetric } from '../../lib/dsl/plan/plan.ts';
import { eventRow, type EventRow } from './events.ts';
import { groupColumn, labelOf, type Label } from './groups.ts';
import { deviation, exactQuotient, measure, metricColumn, printed } from './metrics.ts';
import { isNamed, selectEvents, type Scope } from './scope.ts';
import { aroundMean, holmOf, proportionsP, type Spread, welchP, wilson } from './statistics.ts';
import { by, column, inTurn, scales, type Line, type Sheet } from './table.ts';
import { compareText, groupText } from './value.ts';
import { addDuration } from './zone.ts';

/** Somebody who saw one variant alone. `number`: 1 for a conversion, else 0; with a metric that, or null. */
interface Member {
  readonly variant: string;
  readonly labels: readonly Label[];
  readonly number: number | null;
}

export function answerChoice(scope: Scope, plan: ChoicePlan): Sheet {
  const rows = selectEvents(scope, plan).map((event) => eventRow(scope, event));
  const members = [...byUnit(rows, plan).values()].flatMap((own) => memberOf(own, plan) ?? []);
  const variants = [...new Set(members.map(({ variant }) => variant))].sort(compareText);
  const first = variants.includes('control') ? 'control' : variants[0];
  const tables = new Map<string, Member[]>();
  for (const member of members) {
    const name = JSON.stringify(member.labels);
    tables.set(name, [...(tables.get(name) ?? []), member]);
  }
  const [metric] = plan.metrics;
  const lines = [...tables.values()].flatMap((own) => tableOf(own, { metric, first }));
  const rate = metric === undefined ? column('', 'ratio', 'metric') : metricColumn(metric);
  const columns = [
    ...plan.groups.map(groupColumn),
    column('variant', 'string', 'group'),
    column('users', 'number', 'metric'),
    metric === undefined ? column('conversions', 'number', 'metric') : { ...rate, name: 'total' },
    { ...rate, name: metric === undefined ? 'rate' : 'mean' },
    column('lift', 'ratio', 'metric'),
    { ...rate, name: 'ci_low' },
    { ...rate, name: 'ci_high' },
    column('p_value', 'number', 'metric'),
    column('p_adjusted', 'number', 'metric'),
  ];
  const [groups, keys] = [plan.groups.length, columns.length];
  const order = inTurn(
    ...scales(columns),
    by(keys, 'descending'),
    ...plan.groups.map((_, index) => by(index, 'ascending')),
    by(keys + 1, 'ascending'),
    by(groups, 'ascending'),
  );
  return { columns, lines, order, hidesLast: variants.length < 3 };
}

interface Wanted {
  readonly metric: PersonMetric | undefined;
  readonly first: string | undefined;
}

/** The lines of a group. Behind the cells, keys have the persons of the group, and 0 for the first variant. */
function tableOf(members: readonly Member[], { metric, first }: Wanted): Line[] {
  const variants = [...new Set(members.map(({ variant }) => variant))].map((variant) => {
    const numbers = members.flatMap((one) => (one.variant === variant && one.number !== null ? [one.number] : []));
    return { variant, numbers };
  });
  const base = variants.find(({ variant }) => variant === first)?.numbers;
  const tests = variants.map(({ variant, numbers }) =>
    base === undefined || variant === first ? null : testOf(metric, numbers, base),
  );
  const adjusted = holmOf(tests);
  const labels = members[0]?.labels ?? [];
  const users = variants.reduce((sum, { numbers }) => sum + numbers.length, 0);
  return variants.map(({ variant, numbers }, at): Line => {
    const lift = base === undefined || variant === first ? null : liftOf(numbers, base);
    const [low, high] = intervalOf(metric, numbers);
    const cells: (string | number | null)[] = [
      ...[variant, numbers.length, totalOf(numbers, metric), printed(meanOf(numbers))],
      ...[lift, low, high, tests[at], adjusted[at]].map((one) => estimated(one ?? null)),
    ];
    return {
      cells: [...labels.map(({ cell }) => cell), ...cells],
      keys: [...labels.map(({ key }) => key), ...cells, users, variant === first ? 0 : 1],
    };
  });
}

/** Never exact: to 15 digits, also where it happens to be a whole number. */
const estimated = (number: number | null): number | null =>
  number === null || !Number.isFinite(number) ? null : Number(number.toPrecision(15)) + 0;

const totalOf = (numbers: readonly number[], metric: PersonMetric | undefined): number | null =>
  metric !== undefined && numbers.length === 0 ? null : printed(exactQuotient(numbers, 1));

const meanOf = (numbers: readonly number[]): number | null =>
  numbers.length === 0 ? null : exactQuotient(numbers, numbers.length);

function liftOf(numbers: readonly number[], base: readonly number[]): number | null {
  const [mean, first] = [meanOf(numbers), meanOf(base)];
  return mean === null || first === null || first === 0 ? null : mean / first - 1;
}

function intervalOf(metric: PersonMetric | undefined, numbers: readonly number[]): readonly (number | null)[] {
  if (metric === undefined) return wilson(conversionsIn(numbers), numbers.length);
  const [mean, spread] = [meanOf(numbers), deviation(numbers)];
  return mean === null || spread === null ? [null, null] : aroundMean(mean, spread, numbers.length);
}

const conversionsIn = (numbers: readonly number[]): number => numbers.filter((number) => number === 1).length;

function testOf(metric: PersonMetric | undefined, own: readonly number[], base: readonly number[]): number | null {
  if (metric === undefined) return proportionsP([conversionsIn(own), own.length], [conversionsIn(base), base.length]);
  const [a, b] = [spreadOf(own), spreadOf(base)];
  return a === null || b === null ? null : welchP(a, b);
}

function spreadOf(numbers: readonly number[]): Spread | null {
  const [mean, spread] = [meanOf(numbers), deviation(numbers)];
  return mean === null || spread === null ? null : { mean, deviation: spread, n: numbers.length };
}

/** Nobody without an exposure, or with exposures to several variants. */
function memberOf(own: readonly EventRow[], plan: ChoicePlan): Member | undefined {
  const exposures = own.flatMap((row) => {
    const variant = variantOf(row, plan);
    return variant === null ? [] : [{ row, variant }];
  });
  const [first] = exposures;
  if (first === undefined || exposures.some(({ variant }) => variant !== first.variant)) return undefined;
  const end = addDuration(first.row.time, plan.window, plan.zone);
  const done = own.filter(
    (row) => isNamed(row.event, plan.conversion) && first.row.time <= row.time && row.time <= end,
  );
  const [metric] = plan.metrics;
  const number = metric === undefined ? Number(done.length > 0) : numberOf(metric, done);
  return { variant: first.variant, labels: plan.groups.map((group) => labelOf(group, first.row, plan.zone)), number };
}

function numberOf(metric: PersonMetric, done: readonly EventRow[]): number | null {
  const measured = measure(
    metric,
    done.map(({ read }) => read),
  );
  return typeof measured === 'number' ? measured : metric.kind === 'sum' ? 0 : null;
}

function byUnit(rows: readonly EventRow[], plan: ChoicePlan): Map<string, EventRow[]> {
  const units = new Map<string, EventRow[]>();
  for (const row of rows) {
    const unit = groupText(row.read(plan.unit));
    if (unit === null) continue;
    const own = units.get(unit) ?? [];
    own.push(row);
    units.set(unit, own);
  }
  return units;
}

/** The variant of an exposure to this choice; null if the event is none. */
function variantOf({ event, read }: EventRow, plan: ChoicePlan): string | null {
  if (event.type !== 'choice.exposure') return null;
  if (groupText(read({ kind: 'event', path: 'choice_key' })) !== plan.choice) return null;
  return groupText(read({ kind: 'event', path: 'variant_key' }));
}
