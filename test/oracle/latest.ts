/** `latest f per e`: the newest value of each entity. */
import type { Field, LatestPlan } from '../../lib/dsl/plan/plan.ts';
import { withComputed } from './computed.ts';
import { holds, type Reader } from './condition.ts';
import { sourceRows, type EventRow } from './events.ts';
import { measuresOf, tabulate, type Row } from './groups.ts';
import type { Scope } from './scope.ts';
import { by, cellOf, column, inTurn, type Line, type Sheet } from './table.ts';
import type { TimeRange, TimeUnit } from '../../lib/dsl/time/units.ts';
import { bucketsOf } from './zone.ts';
import { exists, Instant, isMissing, textOf, type Value } from './value.ts';

interface LatestRow extends Row {
  readonly entity: string;
  readonly value: Value;
}

export function answerLatest(scope: Scope, plan: LatestPlan): Sheet {
  const all = plan.asOf === null ? newestRows(scope, plan, plan.range) : rowsOfBuckets(scope, plan, plan.asOf);
  const rows = all.filter((row) => holds(plan.whereRows, row.read));
  if (plan.groups.length > 0 || plan.metrics.length > 0) {
    return tabulate(rows, plan.groups, measuresOf(plan.metrics), { scope, fill: plan.asOf !== null });
  }
  const columns = [
    column('entity', 'string', 'value'),
    column('last_value', 'json', 'value'),
    column('set_at', 'time', 'value'),
  ];
  const lines = rows.map((row): Line => ({
    cells: [row.entity, cellOf(row.value, 'json'), row.time],
    keys: [row.entity, typeof row.value === 'number' ? row.value : textOf(row.value), row.time],
  }));
  return { columns, lines, order: inTurn(by(2, 'descending'), by(0, 'ascending')) };
}

/** The newest values at the end of each bucket, or of the range, of all stored events. As rows they are of the bucket's time. */
function rowsOfBuckets(scope: Scope, plan: LatestPlan, unit: TimeUnit): LatestRow[] {
  return bucketsOf(plan.range, unit, plan.zone).flatMap(({ start, end }) => {
    const times = { from: -Infinity, to: Math.min(end, plan.range.to) };
    return newestRows(scope, plan, times).map((row) => ({ ...row, time: Math.max(start, plan.range.from) }));
  });
}

function newestRows(scope: Scope, plan: LatestPlan, times: TimeRange): LatestRow[] {
  const newest = new Map<string, EventRow>();
  for (const row of sourceRows(scope, plan, times)) {
    const entity = row.read(plan.entity);
    if (exists(row.read(plan.field)) && !isMissing(entity)) newest.set(textOf(entity), row);
  }
  return [...newest].map(([entity, row]) => {
    const value = row.read(plan.field);
    return { entity, value, time: row.time, read: latestReader(entity, value, new Instant(row.time, scope.zone)) };
  });
}

function latestReader(entity: string, value: Value, setAt: Instant): Reader {
  return withComputed((field: Field) => {
    if (field.kind !== 'latest') throw new Error(`a row of latest has no ${field.kind} fields`);
    return { entity, last_value: value, set_at: setAt }[field.name];
  });
}
