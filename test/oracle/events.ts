/** An event, `*` and `user "id"`: metrics by groups, and lists. */
import type { EnrichedField } from '../../lib/dsl/plan/field-names.ts';
import type { AggregatePlan, Field, ListedField, ListPlan, Plan } from '../../lib/dsl/plan/plan.ts';
import type { Cell, ColumnType, TableColumn } from '../../lib/dsl/plan/table.ts';
import type { TimeRange } from '../../lib/dsl/time/units.ts';
import { measuresOf, tabulate, type Row } from './groups.ts';
import { peopleOfRows } from './people.ts';
import { eventReader, isNamed, selectEvents, type Scope } from './scope.ts';
import { by, cellOf, column, inTurn, type Line, type Sheet } from './table.ts';
import type { Reader } from './condition.ts';
import { isTimeField } from './metrics.ts';
import { compareText, groupText, type Value } from './value.ts';
import type { JsonObject, OracleEvent } from './world.ts';

export interface EventRow extends Row {
  readonly event: OracleEvent;
}

export function eventRow(scope: Scope, event: OracleEvent): EventRow {
  return { time: event.time, read: eventReader(scope, event), event };
}

/** The events of an events source, in order. */
export function sourceRows(
  scope: Scope,
  plan: Plan & { event: string | null; person: string | null },
  times: TimeRange = scope.range,
): EventRow[] {
  return selectEvents(scope, plan, times)
    .filter((event) => isNamed(event, plan.event))
    .filter((event) => plan.person === null || event.distinctId === plan.person)
    .map((event) => eventRow(scope, event));
}

export function answerAggregate(scope: Scope, plan: AggregatePlan): Sheet {
  if (plan.people !== undefined) return peopleOfRows(scope, plan, sourceRows(scope, plan));
  return tabulate(sourceRows(scope, plan), plan.groups, measuresOf(plan.metrics), {
    scope,
    fill: true,
    rolling: plan.rolling,
  });
}

export const ENRICHED: readonly EnrichedField[] = [
  ...(['_browser', '_browser_version', '_os', '_os_version', '_device_type', '_platform'] as const),
  ...(['_url', '_path', '_path_clean', '_hostname', '_title', '_referrer', '_referrer_domain'] as const),
  ...(['_ip', '_ua', '_library', '_ingest_origin'] as const),
  ...(['_country', '_region', '_city', '_continent', '_timezone', '_latitude', '_longitude', '_import_id'] as const),
];

const CORE = ['event_type', 'distinct_id', 'user_id', 'device_id', 'session_id', 'insert_id'] as const;

const LISTED: readonly Field[] = [
  ...CORE.map((name): Field => ({ kind: 'core', name })),
  { kind: 'event', path: '' },
  { kind: 'sent', path: '' },
  ...ENRICHED.map((name): Field => ({ kind: 'enriched', name })),
];

export function answerList(scope: Scope, plan: ListPlan): Sheet {
  if (plan.fields !== undefined) {
    const rows = sourceRows(scope, plan).map((row) => ({ read: row.read, keys: [row.event.time, row.event.arrival] }));
    return listFields(plan.fields, rows, 'descending');
  }
  const columns = [column('time', 'time', 'value'), ...LISTED.map(listedColumn)];
  const lines = sourceRows(scope, plan).map((row): Line => {
    const cells: Cell[] = [row.event.time, ...LISTED.map((field) => listedCell(row, field))];
    const keys = [row.event.time, ...LISTED.map((field) => listedKey(row, field)), row.event.arrival];
    return { cells, keys };
  });
  return { columns, lines, order: inTurn(by(0, 'descending'), by(columns.length, 'descending')) };
}

/** Chosen fields of rows. @param keys By which rows are in order: times, the newest first, then these. */
export function listFields(
  fields: readonly ListedField[],
  rows: readonly { readonly read: Reader; readonly keys: readonly (number | string)[] }[],
  then: 'ascending' | 'descending',
): Sheet {
  const all = fields.map(({ field, column: name }) => column(name, typeOf(field), 'value'));
  const columns = all.filter((_, at) => fields[at]!.hidden !== true);
  const lines = rows.map(({ read, keys }): Line => {
    const cells = fields.map(({ field }, at) => cellOfType(read(field), all[at]!.type));
    return { cells: cells.slice(0, columns.length), keys: [...cells.map(keyOf), ...keys] };
  });
  return { columns, lines, order: inTurn(by(all.length, 'descending'), by(all.length + 1, then)) };
}

/** What was sent keeps its type. */
function typeOf(field: Field): ColumnType {
  if (isTimeField(field)) return 'time';
  if (field.kind === 'arithmetic') return 'number';
  if (field.kind === 'event' || field.kind === 'sent' || field.kind === 'profile') return 'json';
  if (field.kind === 'account' && field.name === 'email') return 'json';
  const ofSession = field.kind === 'session' || field.kind === 'last_session';
  return ofSession && field.name === 'duration'
    ? 'seconds'
    : ofSession && field.name === 'event_count'
      ? 'number'
      : 'string';
}

const cellOfType = (value: Value, type: ColumnType): Cell =>
  type === 'string' ? groupText(value) : cellOf(value, type);

const keyOf = (cell: Cell): number | string | null =>
  typeof cell === 'number' || typeof cell === 'string' ? cell : groupText(cell);

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
