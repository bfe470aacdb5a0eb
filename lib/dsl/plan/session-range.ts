/**
 * Which events form sessions: those of the range and a day on both sides, so that a session of at most a day is whole wherever
 * the range cuts it. It counts where its first event lies.
 */
import { DAY_MS } from '../../base/day.ts';
import type { TimeRange } from '../time/units.ts';
import type { Plan } from './plan.ts';
import { shownRange } from './shown-range.ts';
import { touchRange } from './touch-range.ts';

/** Time before the range's end in which a person's last session begins. */
const LAST_SESSION_MS = 90 * DAY_MS;

/** The times of events that form the sessions of a plan: none ahead of its now. */
export function sessionTimes(plan: Plan): TimeRange {
  return formingTimes(readTimes(plan), plan.now);
}

/** What lies in a window, and what is a touch, has its whole session, too. */
function readTimes(plan: Plan): TimeRange {
  if (plan.kind === 'attribution') return touchRange(plan);
  return 'rolling' in plan && plan.rolling !== undefined ? plan.range : shownRange(plan);
}

/** Where the last sessions of persons begin, and the times of the events that form them. */
export function lastSessionTimes({ range: { to }, now }: Plan): {
  readonly begin: TimeRange;
  readonly form: TimeRange;
} {
  const begin = { from: to - LAST_SESSION_MS, to };
  return { begin, form: formingTimes(begin, now) };
}

function formingTimes({ from, to }: TimeRange, now: number): TimeRange {
  return { from: from - DAY_MS, to: Math.min(to + DAY_MS, now) };
}
