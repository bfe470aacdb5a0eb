/** `latest f per e`: the newest value of each entity. */
import type { Field, LatestPlan } from '../../lib/dsl/plan/plan.ts';
import { holds, type Reader } from './condition.ts';
import { sourceRows, type EventRow } from './events.ts';
import { measuresOf, tabulate, type Row } from './groups.ts';
import type { Scope } from './scope.ts';
import { by, cellOf, column, inTurn, type Line, type Sheet } from './table.ts';
import { exists, Instant, isMissing, textOf, type Value } from './value.ts';

interface LatestRow extends Row {
  readonly entity: string;
  readonly value: Value;
}

export function answerLatest(scope: Scope, plan: LatestPlan): Sheet {
  const rows = newestRows(scope, plan).filter((row) => holds(plan.having, row.read));
  if (plan.groups.length > 0 || plan.metrics.length > 0) {
    return tabulate(rows, plan.groups, measuresOf(plan.metrics), { scope, fill: false });
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

function newestRows(scope: Scope, plan: LatestPlan): LatestRow[] {
  const newest = new Map<string, EventRow>();
  for (const row of sourceRows(scope, plan)) {
    const entity = row.read(plan.entity);
    if (exists(row.read(plan.field)) && !isMissing(entity)) newest.set(textOf(entity), row);
  }
  return [...newest].map(([entity, row]) => {
    const value = row.read(plan.field);
    return { entity, value, time: row.time, read: latestReader(entity, value, new Instant(row.time, scope.zone)) };
  });
}

function latestReader(entity: string, value: Value, setAt: Instant): Reader {
  return (field: Field) => {
    if (field.kind !== 'latest') throw new Error(`a row of latest has no ${field.kind} fields`);
    return { entity, last_value: value, set_at: setAt }[field.name];
  };
}
