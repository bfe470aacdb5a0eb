/** `compare`: with which earlier range, and of which columns. */
import { DAY_MS } from '../../base/day.ts';
import { COHORT_RANGES } from './bind-retention.ts';
import { EARLIEST } from './bind-range.ts';
import { failAt, type BindingScope } from './binding.ts';
import type { RangeNode } from '../parse/syntax.ts';
import { comparedColumns } from '../plan/columns.ts';
import type { Plan, TableStage } from '../plan/plan.ts';
import { askedRange } from '../plan/shown-range.ts';
import type { TableColumn } from '../plan/table.ts';
import { bucketStart } from '../time/buckets.ts';
import { localMonths } from '../time/calendar.ts';
import { stepBack } from '../time/duration.ts';
import type { Duration, TimeRange } from '../time/units.ts';
import type { StageOf } from './stages.ts';

export function bindCompare(binding: BindingScope, plan: Plan, columns: readonly TableColumn[]): readonly TableStage[] {
  const stage = binding.stages.one('compare');
  if (stage === null) return [];
  const metrics = comparedMetrics(binding, stage, plan, columns);
  const range = earlierRange(binding, stage, plan);
  if (range.from < EARLIEST) {
    failAt(binding, stage, 'expected an earlier range that begins after the year 1', ['choose a shorter range']);
  }
  return [{ kind: 'compare', range, metrics }];
}

/** Of a funnel users and conversion, of other sources all metrics. */
function comparedMetrics(
  binding: BindingScope,
  stage: StageOf<'compare'>,
  plan: Plan,
  columns: readonly TableColumn[],
): readonly number[] {
  if (plan.kind === 'choice') failAt(binding, stage, '`results` compares variants, and no ranges', ['ask each alone']);
  if (plan.kind === 'latest' && plan.asOf === null) {
    failAt(binding, stage, '`latest` looks at the newest values, which an earlier range does not have', [
      '`as of each month` shows those of the end of each',
    ]);
  }
  const found = columns.flatMap(({ role, name }, at) =>
    role === 'metric' && (plan.kind !== 'funnel' || FUNNEL_COMPARED.includes(name)) ? [at] : [],
  );
  if (found.length === 0) {
    failAt(binding, stage, 'expected metrics to compare: these are single rows', ['`| count | compare previous`']);
  }
  const names = new Set(columns.map(({ name }) => name));
  const taken = found.flatMap((at) => comparedColumns(columns[at]!)).find(({ name }) => names.has(name));
  if (taken !== undefined) failAt(binding, stage, `the answer has a column \`${taken.name}\` already`);
  return found;
}

/** `units` in place of `users`, where attempts are others' than persons'. */
const FUNNEL_COMPARED: readonly string[] = ['users', 'units', 'conversion'];

function earlierRange(binding: BindingScope, stage: StageOf<'compare'>, plan: Plan): TimeRange {
  const { zone } = binding;
  const range = askedRange(plan);
  const back = (length: Duration): TimeRange => ({ from: stepBack(range.from, length, zone), to: stepBack(range.to, length, zone) }); // prettier-ignore
  if (stage.ago !== null) return back(stage.ago);
  const asked = binding.stages.one('range')?.range ?? null;
  if (asked === null || asked.kind === 'last') return back(asked?.duration ?? defaultLength(plan, range));
  switch (asked.kind) {
    case 'all':
      return failAt(binding, stage, 'expected another range: before `all` there is nothing to compare with', [
        '`last 30d` has 30 days before it',
      ]);
    case 'from':
      return before(range, binding);
    default: {
      const unit = UNITS[asked.kind === 'this' ? asked.unit : 'day'];
      const from = bucketStart(zone, unit.bucket, range.from - 1);
      return {
        from,
        to: asked.kind === 'yesterday' ? range.from : stepBack(range.to, { count: 1, unit: unit.of }, zone),
      };
    }
  }
}

type Named = Extract<RangeNode, { readonly kind: 'this' }>['unit'] | 'day';

const UNITS = {
  day: { bucket: 'day', of: 'd' },
  week: { bucket: 'week', of: 'w' },
  month: { bucket: 'month', of: 'mo' },
  quarter: { bucket: 'quarter', of: 'q' },
  year: { bucket: 'year', of: 'y' },
} as const satisfies Readonly<Record<Named, unknown>>;

/** Default ranges have whole days, or months. */
function defaultLength(plan: Plan, range: TimeRange): Duration {
  return plan.kind === 'lifecycle' ? COHORT_RANGES[plan.unit] : { count: (range.to - range.from) / DAY_MS, unit: 'd' };
}

/** As many months before, of whole months, or as many days, of whole days, or else as long before. */
function before({ from, to }: TimeRange, { zone }: BindingScope): TimeRange {
  const bothStart = (unit: 'day' | 'month'): boolean =>
    [from, to].every((time) => bucketStart(zone, unit, time) === time);
  const local = (time: number): number => time + zone.offsetAt(time);
  if (bothStart('month')) {
    const count = localMonths(local(to)) - localMonths(local(from));
    return { from: bucketStart(zone, 'month', stepBack(from, { count, unit: 'mo' }, zone)), to: from };
  }
  if (bothStart('day')) {
    const count = Math.floor(local(to) / DAY_MS) - Math.floor(local(from) / DAY_MS);
    return { from: bucketStart(zone, 'day', stepBack(from, { count, unit: 'd' }, zone)), to: from };
  }
  return { from: from - (to - from), to: from };
}
