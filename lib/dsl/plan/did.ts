/** Conditions on what a row's person did: the plans that find these persons, one for each condition. */
import { addDuration } from '../time/duration.ts';
import type { TimeRange } from '../time/units.ts';
import { unreachable } from '../../base/unreachable.ts';
import { zoneOf } from './columns.ts';
import { conditionsOf, testsOf } from './conditions.ts';
import type { DidPlan, DidSpan, Field, Plan, Test } from './plan.ts';
import { shownRange } from './shown-range.ts';

export type DidField = Field & { readonly kind: 'did' };

/** Equal for equal conditions of one plan. */
export const didKey = (field: DidField, test: Test): string => JSON.stringify([field, test]);

/** A plan for each different condition `did`, which finds the persons of whom it is true. */
export function didPlans(plan: Plan): readonly { readonly key: string; readonly plan: DidPlan }[] {
  const plans = new Map<string, DidPlan>();
  for (const { field, test } of conditionsOf(plan).flatMap((condition) => testsOf(condition))) {
    if (field.kind === 'did') plans.set(didKey(field, test), didPlan(plan, field, test));
  }
  return [...plans].map(([key, one]) => ({ key, plan: one }));
}

/** Its conditions, and sessions in them, are as in a query over these events and times. @param plan That with the condition. */
export function didPlan(plan: Plan, { event, where, span }: DidField, test: Test): DidPlan {
  const { from, to } = shownRange(plan);
  return {
    kind: 'did',
    ...{ zone: plan.zone, now: plan.now, range: didRange(plan, span), where, event, test },
    within: span.kind === 'within' ? { duration: span.duration, of: span.of, starts: { from, to } } : null,
    ...{ tableStages: [], order: { kind: 'none' }, offset: 0, limit: null },
    page: { limit: Number.MAX_SAFE_INTEGER, offset: 0 },
  };
}

/** The times of the events that may count: of a window, those of all windows. */
function didRange(plan: Plan, span: DidSpan): TimeRange {
  const { from, to } = shownRange(plan);
  switch (span.kind) {
    case 'asked':
      return { from, to };
    case 'all':
      return { from: -Infinity, to: plan.now };
    case 'last':
      return { from: addDuration(to, span.duration, zoneOf(plan), -1), to };
    case 'range':
      return span.range;
    case 'within': // a window's end belongs to it
      return { from, to: Math.max(from, Math.min(addDuration(to, span.duration, zoneOf(plan), 1) + 1, plan.now)) };
    default:
      return unreachable(span);
  }
}
