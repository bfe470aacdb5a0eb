/** An event, `*` and `user "id"`: metrics by groups, and lists. */
import type { AggregatePlan, EnrichedField, Field, ListPlan, Plan } from '../../lib/dsl/plan/plan.ts';
import type { Cell, TableColumn } from '../../lib/dsl/plan/table.ts';
import { measuresOf, tabulate, type Row } from './groups.ts';
import { eventReader, isNamed, selectEvents, type Scope } from './scope.ts';
import { by, cellOf, column, inTurn, type Line, type Sheet } from './table.ts';
import { compareText, groupText } from './value.ts';
import type { JsonObject, OracleEvent } from './world.ts';

export interface EventRow extends Row {
  readonly event: OracleEvent;
}

export function eventRow(scope: Scope, event: OracleEvent): EventRow {
  return { time: event.time, read: eventReader(scope, event), event };
}

/** The events of an events source, in order. */
export function sourceRows(scope: Scope, plan: Plan & { event: string | null; person: string | null }): EventRow[] {
  return selectEvents(scope, plan)
    .filter((event) => isNamed(event, plan.event))
    .filter((event) => plan.person === null || event.distinctId === plan.person)
    .map((event) => eventRow(scope, event));
}

export function answerAggregate(scope: Scope, plan: AggregatePlan): Sheet {
  return tabulate(sourceRows(scope, plan), plan.groups, measuresOf(plan.metrics), { scope, fill: true });
}

export const ENRICHED: readonly EnrichedField[] = [
  ...(['_browser', '_browser_version', '_os', '_os_version', '_device_type', '_platform'] as const),
  ...(['_url', '_path', '_path_clean', '_hostname', '_title', '_referrer', '_referrer_domain'] as const),
  ...(['_ip', '_ua', '_library', '_ingest_origin'] as const),
  ...(['_country', '_region', '_city', '_continent', '_timezone', '_latitude', '_longitude'] as const),
];

const CORE = ['event_type', 'distinct_id', 'user_id', 'device_id', 'session_id', 'insert_id'] as const;

const LISTED: readonly Field[] = [
  ...CORE.map((name): Field => ({ kind: 'core', name })),
  { kind: 'event', path: '' },
  { kind: 'sent', path: '' },
  ...ENRICHED.map((name): Field => ({ kind: 'enriched', name })),
];

export function answerList(scope: Scope, plan: ListPlan): Sheet {
  const columns = [column('time', 'time', 'value'), ...LISTED.map(listedColumn)];
  const lines = sourceRows(scope, plan).map((row): Line => {
    const cells: Cell[] = [row.event.time, ...LISTED.map((field) => listedCell(row, field))];
    const keys = [row.event.time, ...LISTED.map((field) => listedKey(row, field)), row.event.arrival];
    return { cells, keys };
  });
  return { columns, lines, order: inTurn(by(0, 'descending'), by(columns.length, 'descending')) };
}

function listedColumn(field: Field): TableColumn {
  if (field.kind === 'event') return column('event_properties', 'json', 'value');
  if (field.kind === 'sent') return column('user_properties', 'json', 'value');
  return column('name' in field ? field.name : '', 'string', 'value');
}

function listedCell({ event, read }: EventRow, field: Field): Cell {
  if (field.kind === 'event') return byKey(event.properties);
  if (field.kind === 'sent') return byKey(event.userProperties);
  return cellOf(read(field), 'string');
}

function byKey(properties: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(properties).sort(([a], [b]) => compareText(a, b)));
}

function listedKey(row: EventRow, field: Field): string | null {
  const cell = listedCell(row, field);
  return groupText(cell);
}
