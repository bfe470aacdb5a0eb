/** `attribution e | by f`: the credit of each conversion, divided among its touches. */
import type { AttributionPlan } from '../../lib/dsl/plan/plan.ts';
import type { Cell } from '../../lib/dsl/plan/table.ts';
import type { Duration, TimeRange } from '../../lib/dsl/time/units.ts';
import { unreachable } from '../../lib/base/unreachable.ts';
import { holds } from './condition.ts';
import { eventRow, type EventRow } from './events.ts';
import { groupColumn } from './groups.ts';
import { exactQuotient, metricColumn, printed } from './metrics.ts';
import { isNamed, selectEvents, within, type Scope } from './scope.ts';
import { formSessions } from './session.ts';
import { column, defaultOrder, type Line, type Sheet } from './table.ts';
import { groupText, numberOf } from './value.ts';
import { addDuration } from './zone.ts';

const DAY_MS = 24 * 3600_000;

/** A part of the credit of a conversion; `value` null: it has no touch. */
interface Part {
  readonly value: string | null;
  readonly credit: number;
  /** Of the conversion. */
  readonly number: number | null;
}

export function answerAttribution(outer: Scope, plan: AttributionPlan): Sheet {
  const times = touchTimes(plan);
  const scope = scopeOver(outer, times, plan.now);
  const rows = selectEvents(scope, plan, times).map((event) => eventRow(scope, event));
  const touches = rows.filter((row) => isTouch(scope, row, plan));
  const conversions = rows.filter(({ event, time }) => isNamed(event, plan.conversion) && time >= plan.range.from);
  const parts = conversions.flatMap((row) => partsOf(row, touches, plan));
  const values = [...new Set(parts.map(({ value }) => value))];
  const columns = [
    ...plan.groups.map(groupColumn),
    column('conversions', 'number', 'metric'),
    column('share', 'ratio', 'metric'),
    ...plan.metrics.map(metricColumn),
  ];
  const lines = values.map((value): Line => {
    const own = parts.filter((part) => part.value === value);
    const credit = printed(exactQuotient(own.map((part) => part.credit), 1)) ?? 0; // prettier-ignore
    const cells: Cell[] = [
      value,
      credit,
      printed(credit / conversions.length),
      ...plan.metrics.map(() => sumOf(own, plan)),
    ];
    return { cells, keys: cells.map((cell) => (typeof cell === 'object' ? null : (cell as number | string))) };
  });
  return { columns, lines, order: defaultOrder(columns) };
}

/** The window of the earliest conversion; of months, with two days to spare. */
function touchTimes({ range: { from, to }, window, zone }: AttributionPlan): TimeRange {
  const isCalendar = ['mo', 'q', 'y'].includes(window.unit);
  return { from: before(from, window, zone) - (isCalendar ? 2 * DAY_MS : 0), to };
}

const before = (time: number, { count, unit }: Duration, zone: string): number =>
  addDuration(time, { count: -count, unit }, zone);

/** With the sessions of these times. */
function scopeOver(scope: Scope, { from, to }: TimeRange, now: number): Scope {
  const sessionTimes = { from: from - DAY_MS, to: Math.min(to + DAY_MS, now) };
  return { ...scope, sessionTimes, sessions: formSessions(within(scope.facts.events, sessionTimes)) };
}

function isTouch(scope: Scope, { event, read }: EventRow, { groups: [group] }: AttributionPlan): boolean {
  if (group === undefined || event.distinctId === null || groupText(read(group.field)) === null) return false;
  return group.field.kind !== 'session' || scope.sessions.get(event.sessionId ?? '')?.first === event;
}

function partsOf({ event, time, read }: EventRow, touches: readonly EventRow[], plan: AttributionPlan): Part[] {
  const from = before(time, plan.window, plan.zone);
  const own = touches.filter(
    (touch) => touch.event.distinctId === event.distinctId && from <= touch.time && touch.time <= time,
  );
  const [metric] = plan.metrics;
  const [group] = plan.groups;
  const isMeasured = metric !== undefined && holds(metric.where ?? null, read);
  const number = isMeasured ? numberOf(read(metric.field)) : null;
  if (own.length === 0) return [{ value: null, credit: 1, number }];
  return creditsOf(own, plan).flatMap((credit, at) =>
    credit === null ? [] : [{ value: groupText(own[at]!.read(group!.field)), credit, number }],
  );
}

/** By touch, in order of time; null: no part. */
function creditsOf(touches: readonly EventRow[], { model }: AttributionPlan): (number | null)[] {
  const n = touches.length;
  const last = touches[n - 1]!;
  switch (model) {
    case 'first':
      return touches.map((_, at) => (at === 0 ? 1 : null));
    case 'last':
      return touches.map((_, at) => (at === n - 1 ? 1 : null));
    case 'linear':
      return touches.map(() => 1 / n);
    case 'decay': {
      const weights = touches.map(({ time }) => 0.5 ** ((last.time - time) / (7 * DAY_MS)));
      const all = weights.reduce((sum, weight) => sum + weight, 0);
      return weights.map((weight) => weight / all);
    }
    case 'position':
      if (n <= 2) return touches.map(() => 1 / n);
      return touches.map((_, at) => (at === 0 || at === n - 1 ? 0.4 : 0.2 / (n - 2)));
    default:
      return unreachable(model);
  }
}

/** Seconds are summed as whole milliseconds; null of no number. */
function sumOf(parts: readonly Part[], { metrics: [metric] }: AttributionPlan): number | null {
  const numbers = parts.flatMap(({ number, credit }) => (number === null ? [] : [number * credit]));
  if (numbers.length === 0 || metric === undefined) return null;
  return printed(exactQuotient(numbers, 1));
}
