/** `stickiness`: persons by the number of days in the range on which they did the event. */
import type { StickinessPlan } from '../../dsl/plan/plan.ts';
import { bucketColumn } from './buckets.ts';
import { personEvents } from './person-events.ts';
import { EventRows, namesOf } from './rows.ts';
import { sql } from './statement.ts';
import type { TableQuestion } from './table-question.ts';
import type { Tenant } from './tenant.ts';

export function stickinessQuestion(project: Tenant, plan: StickinessPlan): TableQuestion {
  const rows = new EventRows(project, plan, { ...plan, events: namesOf([plan.event]) });
  const events = personEvents(rows, { day: bucketColumn(plan, 'day', rows.time).index });
  return {
    sql: sql`
SELECT days, count() AS users
FROM (SELECT person, uniqExact(day) AS days FROM ${events} GROUP BY person)
GROUP BY days`,
    readRows(found) {
      const all = found.reduce((sum, [, users]) => sum + Number(users), 0);
      return found.map(([days, users]) => [Number(days), Number(users), Number(users) / all]);
    },
  };
}
