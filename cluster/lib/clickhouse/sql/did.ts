/** How often persons did something: a subquery for each condition, joined with rows by their person. */
import { type DidField, type DidPlan, didPlan, fieldKey, type Plan, zoneOf } from '../../../../lib/seam.ts'; // prettier-ignore
import { name, sql, type Sql } from './statement.ts';
import { givenValue, textOfNumber, type Value } from './values.ts';
import { windowEnd } from './windows.ts';

/** Which events; `events`: null is any. */
export interface Selected extends Pick<DidPlan, 'range' | 'where'> {
  readonly events: readonly string[] | null;
}

/** Events with a number for each person, 0 of those without one. */
export interface EventsOfPersons {
  readonly personKey: Sql;
  from(also?: Sql): Sql;
}

/** The conditions of a query, each a column of its rows. */
export class DidColumns {
  readonly #plan: Plan;
  readonly #open: (plan: Plan, selection: Selected) => EventsOfPersons;
  readonly #fields: DidField[] = [];

  /** @param open Reads events of the project. */
  constructor(plan: Plan, open: (plan: Plan, selection: Selected) => EventsOfPersons) {
    this.#plan = plan;
    this.#open = open;
  }

  /** Whoever is in no subquery did it 0 times. */
  value(field: DidField): Value {
    const known = this.#fields.findIndex((other) => fieldKey(other) === fieldKey(field));
    const nth = known >= 0 ? known : this.#fields.push(field) - 1;
    const number = sql`toFloat64(${column('times', nth)})`;
    const written = textOfNumber(number);
    return givenValue({ text: written, number, json: written });
  }

  /** @param person The number of a row's person. */
  joins(person: Sql): Sql[] {
    return this.#fields.map((field, nth) => {
      const counts = this.#counts(didPlan(this.#plan, field, ANY), nth);
      return sql`LEFT ANY JOIN (${counts}) AS ${column('rows', nth)} ON ${person} = ${column('person', nth)}`;
    });
  }

  #counts(plan: DidPlan, nth: number): Sql {
    const names = [sql`AS ${column('person', nth)}`, sql`AS ${column('times', nth)}`] as const;
    const events = this.#eventsOf(plan, { range: plan.range, events: asked(plan.event), where: plan.where });
    if (plan.within === null) {
      return sql`SELECT owner ${names[0]}, count() ${names[1]} FROM (${events}) GROUP BY owner`;
    }
    const { starts, of, duration } = plan.within;
    const range = { from: starts.from, to: Math.min(starts.to, plan.range.to) };
    const started = this.#eventsOf(plan, { range, events: asked(of), where: null });
    const firsts = sql`SELECT owner, min(moment) AS began FROM (${started}) GROUP BY owner`;
    const end = windowEnd(sql`began`, 1, { window: duration, zone: zoneOf(plan), range: plan.range });
    return sql`SELECT done.owner ${names[0]}, count() ${names[1]} FROM (${events}) AS done INNER JOIN (${firsts}) AS firsts ON firsts.owner = done.owner WHERE moment >= began AND moment <= ${end} GROUP BY done.owner`;
  }

  #eventsOf(plan: DidPlan, selection: Selected): Sql {
    const rows = this.#open(plan, selection);
    const person = rows.personKey;
    return sql`SELECT ${person} AS owner, time AS moment ${rows.from(sql`${person} != 0`)}`;
  }
}

const column = (what: 'person' | 'rows' | 'times', nth: number): Sql => name(`did_${what}_${nth}`);

const asked = (event: string | null): readonly string[] | null => (event === null ? null : [event]);

/** The counts are read whatever they are compared with. */
const ANY = { op: 'exists' } as const;
