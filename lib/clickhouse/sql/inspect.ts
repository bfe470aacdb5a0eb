/** `inspect *`: the events there are. */
import type { InspectPlan } from '../../dsl/plan/plan.ts';
import { numberCell, textCell } from './cells.ts';
import type { Question } from './groups.ts';
import { MAPS } from './properties.ts';
import { EventRows } from './rows.ts';
import { sql } from './statement.ts';
import type { Tenant } from './tenant.ts';

export function inspectQuestion(project: Tenant, plan: InspectPlan): Question {
  const rows = new EventRows(project, plan, { ...plan, events: null });
  const person = rows.personKey;
  return {
    sql: sql`SELECT event_type, count(), uniqExactIf(${person}, ${person} != 0), min(time), max(time), length(groupUniqArrayArray(mapKeys(${MAPS.event.texts}))) ${rows.from()} GROUP BY event_type`,
    readRow: ([type, ...measured]) => [textCell(type), ...measured.map(numberCell)],
  };
}
