/** `sessions`: those formed by the events that match `where` whose first one lies in the range, and metrics over them. */
import {
  type Cell,
  type Field,
  isTimeField,
  type Observations,
  roundComputed,
  SECOND_MS,
  type SessionsPlan,
  sessionTimes,
  type TimeRange,
  type Zone,
  zoneOf,
} from '../../../../lib/seam.ts';
import { arithmeticValue } from '../sql/arithmetic.ts';
import { cohortValue, conditionSql } from '../sql/conditions.ts';
import { groupedQuestion, metricsOf, type Question } from '../sql/groups.ts';
import type { ColumnSql } from '../sql/metrics.ts';
import { EventRows, within, type Rows } from '../sql/rows.ts';
import { SessionColumns } from '../sql/session-columns.ts';
import { all, join, name, sql, type Cells, type Sql, type Tenant } from '../sql/statement.ts';
import { EVER } from '../sql/times.ts';
import { givenValue, timeValue, type Value } from '../sql/values.ts';

export function sessionsQuestion(project: Tenant, plan: SessionsPlan): Question {
  const rows = new SessionRows(project, plan);
  return groupedQuestion(rows, plan, plan.metrics.length > 0 ? metricsOf(plan.metrics, rows) : usualMetrics(rows));
}

/** What notes say of the sessions of a plan: a statement with one row, and what that says. */
export function sessionsNoticed(project: Tenant, plan: SessionsPlan) {
  const { where, range } = plan;
  const times = sessionTimes(plan);
  const shown = { from: range.from, to: Math.min(range.to, times.to) };
  const rows = (range: TimeRange): EventRows => new EventRows(project, plan, { where, range, events: null });
  const sessions = sql`SELECT min(time) AS first_time, uniqExactIf(device_id, device_id != '') AS devices ${rows(times).from(sql`session_id != ''`)} GROUP BY session_id`;
  const shared = sql`SELECT count() FROM (${sessions}) WHERE ${all([within(range, sql`first_time`), sql`devices > 1`])}`;
  const counts = [
    sql`SELECT count() ${rows(shown).from()}`,
    sql`SELECT count() ${rows(shown).from(sql`session_id = ''`)}`,
    shared,
  ];
  return {
    sql: sql`SELECT ${join(
      counts.map((count) => sql`(${count})`),
      ', ',
    )}`,
    read: ([events, without, several]: Cells): NonNullable<Observations['sessions']> => {
      return { events: Number(events), without: Number(without), shared: Number(several) };
    },
  };
}

/** sessions, avg_duration, avg_events, bounce_rate. */
function usualMetrics(rows: SessionRows): ColumnSql[] {
  const count = sql`count()`;
  const [duration, events] = [rows.value(DURATION).number, rows.value(EVENT_COUNT).number];
  const partOf = (sum: Sql, unit = 1): ColumnSql => ({
    columns: [sum, count],
    read: ([part, whole]): Cell => (Number(whole) === 0 ? null : roundComputed(Number(part) / (unit * Number(whole)))),
  });
  return [
    { columns: [count], read: ([cell]) => Number(cell) },
    partOf(sql`sum(toInt64(round(${duration} * 1000)))`, SECOND_MS),
    partOf(sql`sum(toInt64(${events}))`),
    partOf(sql`countIf(${events} = 1)`),
  ];
}

const DURATION: Field = { kind: 'session', name: 'duration' };
const EVENT_COUNT: Field = { kind: 'session', name: 'event_count' };

/** A row per session. A field of events is that of its first one. */
class SessionRows implements Rows {
  readonly project: Tenant;
  readonly zone: Zone;
  readonly time = sql`first_time`;
  readonly #plan: SessionsPlan;
  readonly #events: EventRows;
  readonly #columns: SessionColumns;
  readonly #ofFirst: Sql[] = [];

  constructor(project: Tenant, plan: SessionsPlan) {
    this.project = project;
    this.zone = zoneOf(plan);
    this.#plan = plan;
    const times = sessionTimes(plan);
    this.#events = new EventRows(project, plan, { where: plan.where, range: times, events: null });
    this.#columns = new SessionColumns('session', this.zone, times);
  }

  value(field: Field): Value {
    if (field.kind === 'arithmetic') return arithmeticValue(field, (operand) => this.value(operand));
    if (field.kind === 'cohort') return cohortValue(field, (tested) => this.value(tested));
    if (field.kind === 'session') return this.#columns.value(field.name);
    const value = this.#events.value(field);
    const alias = name(`first_${this.#ofFirst.length}`);
    const [text, number, json] = [sql`${alias}.1`, sql`${alias}.2`, sql`${alias}.3`];
    if (isTimeField(field)) {
      this.#ofFirst.push(sql`argMin(tuple(toNullable(${value.group.key})), (time, arrival)) AS ${alias}`);
      return timeValue(text, this.zone, field.kind === 'core' ? sessionTimes(this.#plan) : EVER);
    }
    this.#ofFirst.push(sql`argMin((${value.text}, ${value.number}, ${value.json}), (time, arrival)) AS ${alias}`);
    return givenValue({ text, number, json });
  }

  from(): Sql {
    const ofRows = conditionSql(this.#plan.whereRows, (field) => this.value(field));
    const columns = [sql`min(time) AS first_time`, ...this.#columns.aggregates, ...this.#ofFirst];
    const sessions = sql`SELECT ${join(columns, ', ')} ${this.#events.from(sql`session_id != ''`)} GROUP BY session_id`;
    return sql`FROM (${sessions}) WHERE ${all([within(this.#plan.range, this.time), ofRows])}`;
  }
}
