/** How often persons did something: events of everybody, counted by person. */
import type { Field, Plan } from '../../lib/dsl/plan/plan.ts';
import type { TimeRange } from '../../lib/dsl/time/units.ts';
import { unreachable } from '../../lib/base/unreachable.ts';
import type { OracleEvent } from './world.ts';
import { addDuration } from './zone.ts';

export type DidField = Field & { readonly kind: 'did' };

/** What a condition looks at besides its field. */
export interface Asked {
  readonly zone: string;
  /** The range that the query asks for. */
  readonly range: TimeRange;
  readonly now: number;
}

export function askedOf(plan: Plan): Asked {
  const { zone, now } = plan;
  return { zone, now, range: 'rolling' in plan && plan.rolling !== undefined ? plan.rolling.shown : plan.range };
}

/** Where all of its events lie: their conditions are those of a query over these times. */
export function didTimes({ span }: DidField, { zone, range, now }: Asked): TimeRange {
  switch (span.kind) {
    case 'asked':
      return { from: range.from, to: range.to };
    case 'all':
      return { from: -Infinity, to: now };
    case 'last':
      return { from: addDuration(range.to, { ...span.duration, count: -span.duration.count }, zone), to: range.to };
    case 'range':
      return span.range;
    case 'within':
      return { from: range.from, to: Math.min(addDuration(range.to, span.duration, zone) + 1, now) };
    default:
      return unreachable(span);
  }
}

/**
 * By person.
 * @param stored All events. @param done Those in its times that are of its name and meet its condition.
 */
export function countDone(
  { span }: DidField,
  { zone, range }: Asked,
  stored: readonly OracleEvent[],
  done: readonly OracleEvent[],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const event of done) {
    if (event.distinctId === null) continue;
    if (span.kind === 'within') {
      const start = stored.find(
        ({ type, time, distinctId }) =>
          distinctId === event.distinctId &&
          (span.of === null || type === span.of) &&
          range.from <= time &&
          time < range.to,
      );
      if (start === undefined || event.time < start.time) continue;
      if (event.time > addDuration(start.time, span.duration, zone)) continue;
    }
    counts.set(event.distinctId, (counts.get(event.distinctId) ?? 0) + 1);
  }
  return counts;
}
