/** Events that persons did. */
import type { EventName, Field } from '../../../../lib/seam.ts';
import type { EventRows } from './rows.ts';
import { join, name, sql, text, TRUE, type Sql } from './statement.ts';

/** Whether an event has this name. */
export function isNamed(event: EventName): Sql {
  return event === null ? TRUE : sql`event_type = ${text(event)}`;
}

/**
 * A subquery of `person`, a number for each, `time`, `arrival` and other columns by their names, which no column of the tables has.
 * @param unit By whose values events belong together in place of persons; `person` is a text then.
 */
export function personEvents(rows: EventRows, columns: Readonly<Record<string, Sql>>, unit: Field | null = null): Sql {
  const { person, isSome } = unit === null ? byPerson(rows) : byUnit(rows, unit);
  const asked = Object.entries(columns).map(([alias, column]) => sql`${column} AS ${name(alias)}`);
  const all = [sql`${person} AS person`, rows.time, rows.arrival, ...asked];
  return sql`(SELECT ${join(all, ', ')} ${rows.from(isSome)})`;
}

interface Owner {
  readonly person: Sql;
  readonly isSome: Sql;
}

function byPerson(rows: EventRows): Owner {
  const person = rows.personKey;
  return { person, isSome: sql`${person} != 0` };
}

function byUnit(rows: EventRows, unit: Field): Owner {
  const { text, present } = rows.value(unit);
  return { person: sql`assumeNotNull(${text})`, isSome: present };
}
