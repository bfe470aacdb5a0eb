/** How many stored events of a project are older than a time. */
import { monotonic } from '../base/monotonic.ts';
import type { ProjectRef } from '../base/project.ts';
import type { AggregatePlan } from '../dsl/plan/plan.ts';
import { MAX_TIME } from '../dsl/time/duration.ts';
import type { EventStore } from './event-store.ts';

/** `before`: milliseconds since the epoch. `time`: how long it may take, milliseconds; then it rejects with AppError. */
export async function eventsBefore(
  store: Pick<EventStore, 'query'>,
  project: ProjectRef,
  before: number,
  time: number,
): Promise<number> {
  const plan: AggregatePlan = {
    ...{ kind: 'aggregate', zone: 'UTC', range: { from: -MAX_TIME, to: before }, now: before },
    ...{ event: null, person: null, where: null, groups: [], metrics: [{ kind: 'count', column: 'count' }] },
    ...{ tableStages: [], order: { kind: 'default' }, offset: 0, limit: null, page: { limit: 1, offset: 0 } },
  };
  const { table } = await store.query(project, plan, { deadline: monotonic() + time });
  const [count] = table.rows[0] ?? [];
  return typeof count === 'number' ? count : 0;
}
