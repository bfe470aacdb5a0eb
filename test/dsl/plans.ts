/** Plans for tests: what a test leaves out gets the simplest value. */
import type { AggregatePlan, Field, Group, RowMetric } from '../../lib/dsl/plan/plan.ts';
import type { TimeUnit } from '../../lib/dsl/time/units.ts';

export const DAY = 86_400_000;
export const JANUARY = Date.UTC(2026, 0, 1);

/** Shared by all plans: three days of January, in UTC. */
export const base = {
  zone: 'UTC',
  range: { from: JANUARY, to: JANUARY + 3 * DAY },
  now: JANUARY + 3 * DAY,
  where: null,
  tableStages: [],
  order: { kind: 'default' },
  offset: 0,
  limit: null,
  page: { limit: 100, offset: 0 },
} as const;

export function aggregate(parts: Partial<AggregatePlan>): AggregatePlan {
  return { ...base, kind: 'aggregate', event: null, person: null, groups: [], metrics: [count], ...parts };
}

export const count: RowMetric = { kind: 'count', column: 'count' };

export function property(path: string): Field {
  return { kind: 'event', path };
}

export function sum(path: string): RowMetric {
  return { kind: 'sum', field: property(path), column: 'sum' };
}

export function byField(name: string): Group & { kind: 'field' } {
  return { kind: 'field', field: property(name), column: `event_properties.${name}` };
}

export function byTime(unit: TimeUnit): Group & { kind: 'bucket' } {
  return { kind: 'bucket', unit, column: unit };
}
