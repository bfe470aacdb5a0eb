/** How plans may be split into parts for several threads. Says it without loading the code that runs them. */
import { DAY_MS } from '../base/day.ts';
import type { AggregatePlan, LifecyclePlan, Plan, RetentionPlan, StickinessPlan } from '../dsl/plan/plan.ts';
import { sessionTimes } from '../dsl/plan/session-range.ts';
import { touchRange } from '../dsl/plan/touch-range.ts';
import { threshold } from '../base/threshold.ts';
import type { TimeRange } from '../dsl/time/units.ts';

const ONE_PART: ReadonlySet<Plan['kind']> = new Set(['users', 'list', 'paths', 'choice', 'sessions', 'identities']);

/** About four words per person: the days of a quarter fit, and a part's masks are sent and merged in a few milliseconds. */
const MOST_BUCKETS = threshold('buckets of masks', 124, { most: 1_000 });
const LENGTH = { day: DAY_MS, week: 7 * DAY_MS, sunday_week: 7 * DAY_MS, month: 28 * DAY_MS };

/** Whether a plan's work is split by what is examined, and every part reads all segments: merging would cost more. */
export function runsInSlices(plan: Plan): boolean {
  return plan.kind === 'fields' || (plan.kind === 'inspect' && plan.event !== null);
}

/** Whether a plan needs all of its rows in one place. */
export function runsInOnePart(plan: Plan): boolean {
  switch (plan.kind) {
    case 'inspect':
      return plan.event === null;
    case 'retention':
    case 'lifecycle':
    case 'stickiness':
      return plan.people !== undefined || !usesMasks(plan);
    case 'funnel': // values are numbered within a part, and so are the labels of several steps
      return plan.same !== null || plan.unit !== null || (plan.stepOrder === 'any' && plan.groups.length > 0);
    case 'did': // a window begins with an event of any part
      return plan.within !== null;
    default:
      return ONE_PART.has(plan.kind);
  }
}

/**
 * Whether the buckets of a person are bits of a mask, which parts can merge: so few that masks are small for every person. In the
 * bucket of a start only later events are returns, which a mask cannot tell; it need not if the start itself is a return.
 */
export function usesMasks(plan: RetentionPlan | LifecyclePlan | StickinessPlan): boolean {
  if (plan.kind === 'retention' && (plan.metrics.length > 0 || !returnsByStarting(plan))) return false;
  const unit = plan.kind === 'stickiness' ? 'day' : plan.unit;
  return (plan.range.to - plan.range.from) / LENGTH[unit] <= MOST_BUCKETS.value;
}

/** Whether every start event is a returning one. */
export function returnsByStarting({ event, returning }: RetentionPlan): boolean {
  return returning === null || returning === event;
}

/** `* | count by event_type`: where all rows of a segment pass, it knows the counts without being read. */
export function countsTypes({ event, person, groups }: AggregatePlan): boolean {
  const [group] = groups;
  const byType = group?.kind === 'field' && group.field.kind === 'core' && group.field.name === 'event_type';
  return byType && groups.length === 1 && event === null && person === null;
}

/** The time range of stored events that a plan reads: usually its own. */
export function readRange(plan: Plan): TimeRange {
  switch (plan.kind) {
    case 'lifecycle': // whether a person is new depends on all earlier events
      return { from: -Infinity, to: plan.range.to };
    case 'retention': // whether a start is the first
      return plan.first ? { from: -Infinity, to: plan.range.to } : plan.range;
    case 'latest': // what held at the end of a bucket may have been set at any time before
      return plan.asOf === null ? plan.range : { from: -Infinity, to: plan.range.to };
    case 'sessions': // which are whole
      return sessionTimes(plan);
    case 'attribution':
      return touchRange(plan);
    default:
      return plan.range;
  }
}
