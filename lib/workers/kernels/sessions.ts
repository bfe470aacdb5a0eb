/**
 * Metrics of sessions by groups. Runs in one part: a segment has a tenth as many sessions as events, and caches them with its
 * columns, so joining all takes less than sending those that may continue in other parts.
 */
import { columnsOf } from '../../dsl/plan/columns.ts';
import { finishTable } from '../../dsl/finish/finish.ts';
import type { Metric, SessionsPlan } from '../../dsl/plan/plan.ts';
import type { Cell, Table } from '../../dsl/plan/table.ts';
import { Aggregation, aggregationOf, mergeAggregations } from './aggregation.ts';
import type { GroupsPartial } from '../metrics/metric-partial.ts';
import { lowerBound } from '../../base/lower-bound.ts';
import { NO_ROWS, rowsIn, type Positions } from '../groups/positions.ts';
import { select } from '../groups/select.ts';
import { countSome } from './fields/count-codes.ts';
import { mergeGroups } from '../metrics/merge-groups.ts';
import { mergeMetrics, numbersOf } from '../metrics/merge-metrics.ts';
import { planUses } from '../../dsl/plan/plan-uses.ts';
import type { QueryContext } from '../query-context.ts';
import { EventRows, type MadeDictionaries } from '../rows/event-rows.ts';
import { isSessionNumber } from '../../dsl/plan/session-attribute.ts';
import { positionsIn, SegmentSessions } from '../sessions/segment-sessions.ts';
import { SessionRows } from '../sessions/session-rows.ts';
import { sessionTotals } from '../sessions/session-totals.ts';
import { SessionSet } from '../sessions/session-set.ts';
import { UrlParameters } from '../sessions/url-parameters.ts';
import { both, filterOf } from '../where/filter.ts';
import { tableKernel, type Kernel } from './contract.ts';
import { groupedPeople, groupLimits, groupRows, takeRows } from './group-rows.ts';
import type { RowRange } from '../rows/row-set.ts';

export function sessionsKernel(plan: SessionsPlan): Kernel {
  const read = planUses(plan).fields.flatMap((field) =>
    field.kind === 'session' && !isSessionNumber(field.name) ? [field.name] : [],
  );
  return tableKernel('oldest', (context) => {
    const set = new SessionSet(context);
    const made: MadeDictionaries = new Map();
    const forming = { forming: 'session', context, parameters: new UrlParameters(context), made } as const;
    let [events, inSessions] = [0, 0];
    return {
      consume: (rows, range) => {
        const all = { rows: null, spans: [{ bucket: 0, ...range }] };
        const filter = filterOf(plan.where, rows, context);
        const isAll = filter.kind === 'constant' && filter.value === 1;
        const chosen = isAll ? all : select(all, filter, context);
        const counted = within(chosen, { from: rows.rowAt(plan.range.from), to: rows.rowAt(plan.range.to) });
        const codes = rows.segment.column('session_id')?.codes ?? null;
        events += rowsIn(counted.spans);
        inSessions += codes === null ? 0 : countSome(codes, counted, context);
        const forms = isAll ? positionsIn(rows.segment, range) : chosen;
        const sessions = new SegmentSessions(rows.segment, forms, forming);
        if (!isAll) sessions.settle(read);
        set.add(sessions);
      },
      table: () => answer(plan, set, context),
      noticed: () => ({
        sessions: { events, without: events - inSessions, shared: set.sharedByDevices(plan.range) },
      }),
    };
  });
}

/** Those of the positions, which are in one span, whose rows are in a range. */
function within({ rows, spans: [span] }: Positions, range: RowRange): Positions {
  if (span === undefined) return NO_ROWS;
  const from = rows === null ? Math.max(span.from, range.from) : lowerBound(rows, range.from, span.from, span.to);
  const to = rows === null ? Math.min(span.to, range.to) : lowerBound(rows, range.to, span.from, span.to);
  return from < to ? { rows, spans: [{ bucket: span.bucket, from, to }] } : NO_ROWS;
}

function answer(plan: SessionsPlan, set: SessionSet, given: QueryContext): Table {
  const context = groupLimits(plan, given);
  const byDefault = plan.metrics.length === 0;
  if (byDefault && plan.whereRows === null && plan.groups.every(({ kind }) => kind !== 'field')) {
    return finishTable(plan, columnsOf(plan), sessionTotals(set, plan.groups, context));
  }
  const metrics = byDefault ? DEFAULT : plan.metrics;
  const all = aggregationOf(plan, context, metrics);
  const bounced = byDefault ? new Aggregation(plan.groups, COUNT, context) : null;
  const made: MadeDictionaries = new Map();
  for (const [at, { sessions }] of set.parts.entries()) {
    context.checkpoint();
    const rows = new SessionRows(set, at, () => new EventRows(sessions.segment, context, made));
    const filter = filterOf(plan.whereRows, rows, context);
    const source = { rows, list: rows.list, ...rows.begunIn(plan.range) };
    all.advance(sessions.segment.first);
    all.add({ ...source, filter });
    bounced?.add({ ...source, filter: both(filter, { kind: 'mask', bytes: rows.ofOneEvent() }) });
  }
  const partial = all.partial();
  const merged = mergeAggregations(plan, [partial], context, metrics);
  if (plan.people !== undefined) return groupedPeople(plan, merged, [partial], context);
  takeRows(plan, merged.groups.count, context.budget);
  const cells = groupRows(merged, plan.groups.length);
  if (bounced !== null) addBounceRates(cells, plan.groups.length, [partial, bounced.partial()], context);
  return finishTable(plan, columnsOf(plan), cells);
}

/** Without metrics: sessions, avg_duration, avg_events, and bounce_rate, the share of sessions that have one event. */
const DEFAULT: readonly Metric[] = [
  { kind: 'count', column: 'sessions' },
  { kind: 'avg', field: { kind: 'session', name: 'duration' }, column: 'avg_duration' },
  { kind: 'avg', field: { kind: 'session', name: 'event_count' }, column: 'avg_events' },
];
const COUNT: readonly Metric[] = [{ kind: 'count', column: 'bounced' }];

/** @param cells Rows of groups and DEFAULT, in the order of the first part's groups. The second part counts those of one event. */
function addBounceRates(
  cells: readonly Cell[][],
  groups: number,
  [all, bounced]: readonly [GroupsPartial, GroupsPartial],
  context: QueryContext,
): void {
  const { places } = mergeGroups([all, bounced], groups, context);
  const { values } = mergeMetrics([bounced], groups, COUNT, context);
  const counts = new Float64Array(all.groups);
  const found = numbersOf(values[0]!(null));
  for (let group = 0; group < bounced.groups; group++) counts[places[1]![group]!] = found[group]!;
  for (const [group, row] of cells.entries()) row.push(counts[places[0]![group]!]! / Number(row[groups]));
}
