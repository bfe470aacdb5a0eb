/** What the notes below an answer need to know besides its rows (lib/dsl/hints/notes.ts). */
import { fieldName } from '../../dsl/plan/fields.ts';
import type { Plan } from '../../dsl/plan/plan.ts';
import { planUses } from '../../dsl/plan/plan-uses.ts';
import { numberCell, type Cells } from './cells.ts';
import { EventRows, ProfileRows } from './rows.ts';
import { join, sql, type Sql } from './statement.ts';
import { filledColumn } from './values.ts';
import type { Tenant } from './tenant.ts';

export interface Observing {
  readonly sql: Sql;
  /** Of the only row. */
  readonly read: (cells: Cells) => Observed;
}

/** As lib/dsl/plan/table.ts says. */
export interface Observed {
  readonly unseenEvents: readonly string[];
  readonly unseenFields: readonly string[];
  readonly rowsScanned: number;
}

/** Looks at all rows of the range, whatever the query selects of them. */
export function observing(project: Tenant, plan: Plan): Observing {
  const uses = planUses(plan);
  const fields = uses.fields.filter(({ kind }) => kind === 'event' || kind === 'sent' || kind === 'profile');
  const events = plan.kind === 'users' ? [] : uses.events;
  const seen = [
    ...events.map((event) => seenAtAll(rowsOf(project, plan), filledColumn(sql`event_type`).isText([event]))),
    ...fields.map((field) => {
      const own = rowsOf(project, plan);
      return seenAtAll(own, own.value(field).present);
    }),
  ];
  return {
    sql: sql`SELECT ${join([scanned(project, plan), ...seen], ', ')}`,
    read: ([count, ...found]) => ({
      rowsScanned: numberCell(count),
      unseenEvents: events.filter((_, nth) => Number(found[nth]) === 0),
      unseenFields: fields.filter((_, nth) => Number(found[events.length + nth]) === 0).map(fieldName),
    }),
  };
}

/** How many rows the answer depends on: whether a person is new, on all earlier events. Their index counts them. */
function scanned(project: Tenant, plan: Plan): Sql {
  const range = plan.kind === 'lifecycle' ? { from: -Infinity, to: plan.range.to } : plan.range;
  return sql`(SELECT count() ${rowsOf(project, { ...plan, range }).from()})`;
}

/** Whether some row is such: ClickHouse stops at the first. */
function seenAtAll(rows: EventRows | ProfileRows, is: Sql): Sql {
  return sql`(SELECT count() FROM (SELECT 1 ${rows.from(is)} LIMIT 1))`;
}

function rowsOf(project: Tenant, plan: Plan): EventRows | ProfileRows {
  if (plan.kind === 'users') return new ProfileRows(project, { ...plan, where: null });
  return new EventRows(project, plan, { range: plan.range, events: null, where: null });
}
