/** Events that persons did. */
import type { EventName } from '../../dsl/plan/plan.ts';
import type { EventRows } from './rows.ts';
import { join, name, sql, text, TRUE, type Sql } from './statement.ts';

/** Whether an event has this name. */
export function isNamed(event: EventName): Sql {
  return event === null ? TRUE : sql`event_type = ${text(event)}`;
}

/** A subquery of `person`, a number for each, `time`, `arrival` and other columns by their names, which no column of the tables has. */
export function personEvents(rows: EventRows, columns: Readonly<Record<string, Sql>>): Sql {
  const person = rows.personKey;
  const asked = Object.entries(columns).map(([alias, column]) => sql`${column} AS ${name(alias)}`);
  const all = [sql`${person} AS person`, rows.time, rows.arrival, ...asked];
  return sql`(SELECT ${join(all, ', ')} ${rows.from(sql`${person} != 0`)})`;
}
