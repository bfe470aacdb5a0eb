/** Events as rows, newest first. */
import { columnsOf, ENRICHED_FIELDS, type Field, type ListedField, type ListPlan } from '../../../../lib/seam.ts';
import { storedProperties, MAPS, propertiesText, type PropertySet } from '../sql/properties.ts';
import { keyColumn, readColumns, type Question } from '../sql/groups.ts';
import type { ColumnSql } from '../sql/metrics.ts';
import { listedColumns, sortOf } from '../sql/listed.ts';
import { EventRows, namesOf } from '../sql/rows.ts';
import { join, NOTHING, sql, whole, type Sql, type Tenant, numberCell } from '../sql/statement.ts';

export interface ListQuestion {
  /** The rows of the page, in order. */
  readonly page: Question;
  /** Those of all pages. */
  readonly whole: Question;
  readonly count: Sql;
}

export function listQuestion(project: Tenant, plan: ListPlan): ListQuestion {
  const events = new EventRows(project, plan, { ...plan, events: namesOf([plan.event]) });
  const columns = plan.fields === undefined ? usualColumns(events) : listedColumns(plan, plan.fields, events);
  const order = plan.fields === undefined ? orderOf(plan, columns) : orderOfListed(plan, plan.fields, events);
  const cut = sql`LIMIT ${whole(Math.min(plan.page.limit, leftOf(plan)))} OFFSET ${whole(plan.offset + plan.page.offset)}`;
  const selected = join(
    columns.flatMap((column) => column.columns),
    ', ',
  );
  const from = events.from();
  const readRows = readColumns(columns);
  const inOrder = sql`SELECT ${selected} ${from} ORDER BY ${order}time DESC, arrival DESC`;
  return {
    page: { sql: sql`${inOrder} ${cut}`, readRows },
    whole: { sql: inOrder, readRows },
    count: sql`SELECT count() ${from}`,
  };
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

/** How many rows the stages leave to the page. */
const leftOf = ({ limit, page }: ListPlan): number => (limit === null ? page.limit : Math.max(0, limit - page.offset));

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
