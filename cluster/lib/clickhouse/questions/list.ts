/** Events as rows, newest first. */
import {
  columnsOf,
  ENRICHED_FIELDS,
  type EventPlace,
  type Field,
  type ListedField,
  type ListPlan,
  type Onward,
} from '../../../../lib/seam.ts';
import { storedProperties, MAPS, propertiesText, type PropertySet } from '../sql/properties.ts';
import { keyColumn, readColumns, type Question } from '../sql/groups.ts';
import type { ColumnSql } from '../sql/metrics.ts';
import { listedColumns, sortOf } from '../sql/listed.ts';
import { EventRows, namesOf } from '../sql/rows.ts';
import { FALSE, join, NOTHING, sql, whole, type Found, type Sql, type Tenant, numberCell } from '../sql/statement.ts';

export interface ListQuestion {
  /** The rows of the page, in order. */
  readonly page: Question;
  /** Where the found ones of them are in the order of events. */
  readonly places: (found: Found) => readonly EventPlace[];
  /** Those of all pages. */
  readonly whole: Question;
  /** How many those are, and how many of them are on earlier pages; null: nobody asks. */
  readonly count: Sql | null;
}

export function listQuestion(project: Tenant, plan: ListPlan): ListQuestion {
  const events = new EventRows(project, plan, { ...plan, events: namesOf([plan.event]) });
  const columns = plan.fields === undefined ? usualColumns(events) : listedColumns(plan, plan.fields, events);
  const order = plan.fields === undefined ? orderOf(plan, columns) : orderOfListed(plan, plan.fields, events);
  const selected = join(
    columns.flatMap((column) => column.columns),
    ', ',
  );
  const { order: way = 'newest', after = null } = plan.onward ?? {};
  const behind = after === null ? undefined : BEHIND[way](after);
  const inOrder = (from: Sql, more = NOTHING): Sql =>
    sql`SELECT ${selected}${more} ${from} ORDER BY ${order}${ORDERS[way]}`;
  const from = events.from();
  const readRows = readColumns(columns);
  const passed = behind === undefined ? FALSE : sql`NOT (${behind})`;
  return {
    page: { sql: sql`${inOrder(events.from(behind), sql`, time, arrival`)} ${cutOf(plan)}`, readRows },
    places: (found) => found.map((row) => ({ time: numberCell(row.at(-2)), arrival: numberCell(row.at(-1)) })),
    whole: { sql: inOrder(from), readRows },
    count: way === 'newest' ? sql`SELECT count(), countIf(${passed}) ${from}` : null,
  };
}

const ORDERS: Readonly<Record<Onward['order'], Sql>> = {
  newest: sql`time DESC, arrival DESC`,
  time: sql`time, arrival`,
  arrival: sql`arrival`,
};

/** The condition for rows behind an event. */
const BEHIND: Readonly<Record<Onward['order'], (after: EventPlace) => Sql>> = {
  newest: ({ time, arrival }) => sql`(time, arrival) < (${whole(time)}, ${whole(arrival)})`,
  time: ({ time, arrival }) => sql`(time, arrival) > (${whole(time)}, ${whole(arrival)})`,
  arrival: ({ arrival }) => sql`arrival > ${whole(arrival)}`,
};

/** Behind an event, earlier pages have had what the stages skip, and some of what they leave: as many rows as may be, too many are cut. */
function cutOf(plan: ListPlan): Sql {
  if ((plan.onward?.after ?? null) !== null) return sql`LIMIT ${whole(plan.page.limit)}`;
  const left = plan.limit === null ? plan.page.limit : Math.max(0, plan.limit - plan.page.offset);
  return sql`LIMIT ${whole(Math.min(plan.page.limit, left))} OFFSET ${whole(plan.offset + plan.page.offset)}`;
}

function usualColumns(events: EventRows): ColumnSql[] {
  const fields = LISTED.map((field): ColumnSql => keyColumn(events.value(field).group, events.zone));
  return [TIME, ...fields.slice(0, IDS), properties('event'), properties('user'), ...fields.slice(IDS)];
}

function orderOfListed(plan: ListPlan, fields: readonly ListedField[], events: EventRows): Sql {
  if (plan.order.kind !== 'sort') return NOTHING;
  const { column, descending } = plan.order;
  return sortOf(events.value(fields[column]!.field), columnsOf(plan)[column]!.type, descending);
}

const CORE = ['event_type', 'distinct_id', 'user_id', 'device_id', 'session_id', 'insert_id'] as const;
const IDS = CORE.length;

/** The columns of a list that are texts. */
const LISTED: readonly Field[] = [
  ...CORE.map((name): Field => ({ kind: 'core', name })),
  ...ENRICHED_FIELDS.map((name): Field => ({ kind: 'enriched', name })),
];

const TIME: ColumnSql = { columns: [sql`time`], read: ([cell]) => numberCell(cell) };

/** What `sort` puts first. Missing texts come last either way. */
function orderOf(plan: ListPlan, columns: readonly ColumnSql[]): Sql {
  if (plan.order.kind !== 'sort') return NOTHING;
  const { column, descending } = plan.order;
  const { name, type } = columnsOf(plan)[column]!;
  const direction = descending ? sql` DESC` : NOTHING;
  if (type === 'json') return sql`${propertiesText(name === 'event_properties' ? 'event' : 'user')}${direction}, `;
  const [key = NOTHING] = columns[column]!.columns;
  return type === 'time' ? sql`${key}${direction}, ` : sql`ifNull(${key}, '') = '', ${key}${direction}, `;
}

function properties(set: PropertySet): ColumnSql {
  const { texts, types } = MAPS[set];
  return { columns: [texts, types], read: ([text, type]) => storedProperties(text, type) };
}
