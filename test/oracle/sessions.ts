/** `sessions`: those formed from the events that match `where` whose first one lies in the range, whole. */
import type { Field, SessionsPlan } from '../../lib/dsl/plan/plan.ts';
import { withComputed } from './computed.ts';
import { holds, type Reader } from './condition.ts';
import { measuresOf, tabulate, type Measures, type Row } from './groups.ts';
import { exactQuotient } from './metrics.ts';
import { eventReader, selectEvents, type Scope } from './scope.ts';
import { durationOf, formSessions, readSession, type Session } from './session.ts';
import { column, type Sheet } from './table.ts';
import { share } from './funnel.ts';

interface SessionRow extends Row {
  readonly session: Session;
}

export function answerSessions(scope: Scope, plan: SessionsPlan): Sheet {
  const { from, to } = scope.range;
  const rows = [...formSessions(selectEvents(scope, plan, scope.sessionTimes)).values()]
    .filter(({ first }) => from <= first.time && first.time < to)
    .map((session): SessionRow => ({ session, time: session.first.time, read: sessionReader(scope, session) }))
    .filter((row) => holds(plan.whereRows, row.read));
  const measures = plan.metrics.length > 0 ? measuresOf(plan.metrics) : DEFAULT;
  return tabulate(rows, plan.groups, measures, { scope, fill: true, rolling: plan.rolling });
}

/** Reads `session.*` from the session itself, every other field from its first event. */
function sessionReader(scope: Scope, session: Session): Reader {
  const first = eventReader(scope, session.first);
  return withComputed((field: Field) =>
    field.kind === 'session' ? readSession(session, field.name, scope.zone) : first(field),
  );
}

const DEFAULT: Measures<SessionRow> = {
  columns: [
    column('sessions', 'number', 'metric'),
    column('avg_duration', 'seconds', 'metric'),
    column('avg_events', 'number', 'metric'),
    column('bounce_rate', 'ratio', 'metric'),
  ],
  measure: (rows) => {
    const count = rows.length;
    const events = rows.reduce((sum, { session }) => sum + session.events.length, 0);
    const milliseconds = rows.map(({ session }) => Math.round(durationOf(session) * 1000));
    return [
      count,
      count === 0 ? null : exactQuotient(milliseconds, 1000 * count),
      share(events, count),
      share(rows.filter(({ session }) => session.events.length === 1).length, count),
    ];
  },
};
