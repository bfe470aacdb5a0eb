/** `paths`: what persons do after the first such event, or before the last. */
import { zoneOf } from '../../dsl/plan/columns.ts';
import type { PathsPlan } from '../../dsl/plan/plan.ts';
import { personEvents } from './person-events.ts';
import { EventRows, namesOf } from './rows.ts';
import { sql, whole, type Sql } from './statement.ts';
import { listOf, textOrNull, type TableQuestion } from './table-question.ts';
import { windowEnd } from './window-end.ts';
import type { Tenant } from './tenant.ts';

export function pathsQuestion(project: Tenant, plan: PathsPlan): TableQuestion {
  const isFrom = plan.direction === 'from';
  const moment = sql`(time, arrival)`;
  const anchors = personEvents(new EventRows(project, plan, { ...plan, events: namesOf([plan.event]) }), { moment });
  const rows = new EventRows(project, plan, { ...plan, events: null });
  const events = personEvents(rows, { moment, label: rows.value(plan.label).text });
  const end = windowEnd(sql`anchor.1`, isFrom ? 1 : -1, { ...plan, zone: zoneOf(plan) });
  const within = isFrom ? sql`moment >= anchor AND time <= ${end}` : sql`moment <= anchor AND time >= ${end}`;
  return {
    sql: sql`
SELECT path, count() AS users
FROM (
  SELECT arrayMap(node -> node.3, ${nodes(plan)}) AS path
  FROM ${events} AS event
  INNER JOIN (SELECT person, ${isFrom ? sql`min` : sql`max`}(moment) AS anchor FROM ${anchors} GROUP BY person) AS anchors
    ON anchors.person = event.person
  WHERE ${within}
  GROUP BY event.person)
GROUP BY path`,
    readRows(found) {
      const all = found.reduce((sum, [, users]) => sum + Number(users), 0);
      return found.map(([path, users]) => [listOf(path).map(textOrNull), Number(users), Number(users) / all]);
    },
  };
}

/** In order of time, of which those before an event are found nearest first. */
function nodes({ direction, depth }: PathsPlan): Sql {
  return direction === 'from'
    ? sql`groupArraySorted(${whole(depth)})((time, toInt64(arrival), label))`
    : sql`arrayReverse(groupArraySorted(${whole(depth)})((-time, -toInt64(arrival), label)))`;
}
