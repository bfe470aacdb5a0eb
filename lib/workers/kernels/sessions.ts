/**
 * Metrics of sessions by groups. Runs in one part: sessions of a segment are a tenth of its events and are kept with its
 * columns, so that to join them all takes less than to send those that other parts may go on with.
 */
import { columnsOf } from '../../dsl/columns.ts';
import { finishTable } from '../../dsl/finish.ts';
import type { Condition, Metric, SessionField, SessionsPlan } from '../../dsl/plan.ts';
import type { Cell, Table } from '../../dsl/table.ts';
import { Aggregation, type GroupsPartial } from '../groups/aggregation.ts';
import { positionsOf } from '../groups/positions.ts';
import { select } from '../groups/scan.ts';
import { mergeGroups } from '../metrics/merge-groups.ts';
import { mergeMetrics } from '../metrics/merge-metrics.ts';
import { planUses } from '../plan-uses.ts';
import type { QueryContext } from '../query-context.ts';
import type { EventRows } from '../rows/event-rows.ts';
import { isSessionNumber } from '../sessions/attribute.ts';
import { positionsIn, SegmentSessions, type FormingOptions } from '../sessions/segment-sessions.ts';
import { SessionRows } from '../sessions/session-rows.ts';
import { SessionSet } from '../sessions/session-set.ts';
import { CodeSlots } from '../sessions/session-slots.ts';
import { UrlParameters } from '../sessions/url-parameters.ts';
import { filterOf } from '../where/filter.ts';
import { onlyTable, type Kernel, type RowRange } from './contract.ts';
import { groupRows } from './group-rows.ts';

interface State {
  readonly context: QueryContext;
  readonly set: SessionSet;
  readonly forming: FormingOptions;
}

export function sessionsKernel(plan: SessionsPlan): Kernel<State, Table> {
  const read = planUses(plan).fields.flatMap((field) =>
    field.kind === 'session' && !isSessionNumber(field.name) ? [field.name] : [],
  );
  return {
    order: 'oldest',
    init: (context) => ({
      context,
      set: new SessionSet(new CodeSlots(context.budget), context),
      forming: { forming: 'session', context, parameters: new UrlParameters(), made: new Map() },
    }),
    consume: (state, rows, range) => state.set.add(sessionsOf(plan, state, { rows, range, read })),
    partial: ({ set, context }) => ({ kind: 'table', table: answer(plan, new SessionRows(set, context), context) }),
    merge: onlyTable,
    finish: (table) => table,
  };
}

/** The sessions that the segment's rows form which `where` lets through. */
function sessionsOf(
  plan: SessionsPlan,
  { context, forming }: State,
  { rows, range, read }: { readonly rows: EventRows; readonly range: RowRange; readonly read: readonly SessionField[] },
): SegmentSessions {
  const filter = filterOf(plan.where, rows, context);
  if (filter.kind === 'constant' && filter.value === 1) {
    return new SegmentSessions(rows.segment, positionsIn(rows.segment, range), forming);
  }
  const positions = select(positionsOf(rows, null, range, null), filter, context);
  const sessions = new SegmentSessions(rows.segment, positions, forming);
  sessions.settle(read);
  return sessions;
}

function answer(plan: SessionsPlan, rows: SessionRows, context: QueryContext): Table {
  const metrics = plan.metrics.length > 0 ? plan.metrics : DEFAULT;
  const all = aggregated(plan, { rows, metrics, having: plan.having }, context);
  const merged = mergeMetrics([all], plan.groups.length, metrics, context);
  const cells = groupRows(merged, plan.groups.length);
  if (plan.metrics.length === 0) addBounces(plan, { rows, all, cells }, context);
  return finishTable(plan, columnsOf(plan), cells);
}

function aggregated(
  plan: SessionsPlan,
  of: { readonly rows: SessionRows; readonly metrics: readonly Metric[]; readonly having: Condition | null },
  context: QueryContext,
): GroupsPartial {
  const aggregation = new Aggregation(plan.groups, of.metrics, context);
  const filter = filterOf(of.having, of.rows, context);
  aggregation.add({ rows: of.rows, list: null, from: 0, to: of.rows.rows, filter });
  return aggregation.partial();
}

/** Without metrics: sessions, avg_duration, avg_events, and bounce_rate. */
const DEFAULT: readonly Metric[] = [
  { kind: 'count', column: 'sessions' },
  { kind: 'avg', field: { kind: 'session', name: 'duration' }, column: 'avg_duration' },
  { kind: 'avg', field: { kind: 'session', name: 'event_count' }, column: 'avg_events' },
];

const BOUNCED: Condition = {
  kind: 'test',
  field: { kind: 'session', name: 'event_count' },
  test: { op: 'equals', literal: { type: 'number', value: 1 } },
};

/** Adds to each row of cells the share of sessions that have one event. */
function addBounces(
  plan: SessionsPlan,
  { rows, all, cells }: { readonly rows: SessionRows; readonly all: GroupsPartial; readonly cells: Cell[][] },
  context: QueryContext,
): void {
  const having: Condition = plan.having === null ? BOUNCED : { kind: 'and', terms: [plan.having, BOUNCED] };
  const metrics: readonly Metric[] = [{ kind: 'count', column: 'bounced' }];
  const bounced = aggregated(plan, { rows, metrics, having }, context);
  const { places } = mergeGroups([all, bounced], plan.groups.length, context);
  const { values } = mergeMetrics([bounced], plan.groups.length, metrics, context);
  const counts = new Float64Array(all.groups);
  for (let group = 0; group < bounced.groups; group++) counts[places[1]![group]!] = values[0]![group]!;
  for (let group = 0; group < all.groups; group++) {
    const row = cells[group]!;
    row.push(counts[places[0]![group]!]! / Number(row[plan.groups.length]));
  }
}
