/** The newest value of a field of each entity, and metrics over these. */
import {
  bucketsOf,
  type Field,
  isRowList,
  isTimeField,
  type LatestPlan,
  type TimeUnit,
  type Zone,
  zoneOf,
} from '../../../../lib/seam.ts';
import { arithmeticValue } from '../sql/arithmetic.ts';
import { conditionSql } from '../sql/conditions.ts';
import { bucketColumn } from '../sql/buckets.ts';
import { EVER, type Span } from '../sql/times.ts';
import { groupedQuestion, metricsOf, readColumns, type Question } from '../sql/groups.ts';
import type { ColumnSql } from '../sql/metrics.ts';
import { EventRows, namesOf, type Rows } from '../sql/rows.ts';
import { NOTHING, numberCell, sql, textCell, whole, type Sql, type Tenant } from '../sql/statement.ts';
import { givenValue, nullableText, timeValue, type Value } from '../sql/values.ts';
import { typedCell } from '../sql/listed.ts';

export function latestQuestion(project: Tenant, plan: LatestPlan): Question {
  const rows = new LatestRows(project, plan);
  if (!isRowList(plan)) return groupedQuestion(rows, plan, metricsOf(plan.metrics, rows));
  const isTime = isTimeField(plan.field);
  const columns: ColumnSql[] = [
    { columns: [sql`entity`], read: ([cell]) => textCell(cell) },
    { columns: [sql`last_json`], read: ([cell]) => typedCell(cell, isTime ? rows.zone : null) },
    { columns: [sql`set_at`], read: ([cell]) => numberCell(cell) },
  ];
  return { sql: sql`SELECT entity, last_json, set_at ${rows.from()}`, readRows: readColumns(columns) };
}

/** The bucket of a time; what was set before the range belongs to its first. */
function bucketOf(plan: LatestPlan, unit: TimeUnit): Sql {
  const { index } = bucketColumn(plan, unit, sql`time`);
  return sql`if(time < ${whole(plan.range.from)}, toInt64(0), toInt64(${index}))`;
}

/** A row per entity; with `asOf`, of each bucket. */
class LatestRows implements Rows {
  readonly project: Tenant;
  readonly zone: Zone;
  readonly time = sql`set_at`;
  readonly bucket?: Sql;
  readonly #plan: LatestPlan;
  readonly #events: EventRows;
  /** Of `set_at`. */
  readonly #times: Span;

  constructor(project: Tenant, plan: LatestPlan) {
    this.project = project;
    this.zone = zoneOf(plan);
    this.#plan = plan;
    const range = plan.asOf === null ? plan.range : { from: -Infinity, to: plan.range.to };
    this.#times = plan.asOf === null ? plan.range : EVER;
    if (plan.asOf !== null) this.bucket = sql`held`;
    this.#events = new EventRows(project, plan, { ...plan, range, events: namesOf([plan.event]) });
  }

  value(field: Field): Value {
    if (field.kind === 'arithmetic') return arithmeticValue(field, (operand) => this.value(operand));
    if (field.kind !== 'latest') throw new Error(`a row of latest has no ${field.kind} fields`);
    switch (field.name) {
      case 'entity':
        return nullableText(sql`entity`);
      case 'set_at':
        return timeValue(sql`set_at`, this.zone, this.#times);
      case 'last_value':
        return givenValue({ text: sql`last_text`, number: sql`last_number`, json: sql`last_json` });
    }
  }

  from(): Sql {
    const value = this.#events.value(this.#plan.field);
    const entity = this.#events.value(this.#plan.entity);
    const ofRows = conditionSql(this.#plan.whereRows, (field) => this.value(field));
    const newest = sql`argMax((${value.text}, ${value.number}, ${value.json}), (time, arrival))`;
    const events = this.#events;
    const exist = sql`(${value.exists}) AND (${entity.present})`;
    const { asOf } = this.#plan;
    const bucket = asOf === null ? NOTHING : sql`, ${bucketOf(this.#plan, asOf)} AS bucket`;
    const set = sql`SELECT assumeNotNull(${entity.text}) AS entity${bucket}, ${newest} AS newest, max(time) AS set_at ${events.from(exist)} GROUP BY entity${asOf === null ? NOTHING : sql`, bucket`}`;
    const own = asOf === null ? set : this.#heldAtEnds(set, asOf);
    const held = asOf === null ? NOTHING : sql`, held`;
    return sql`FROM (SELECT entity, newest.1 AS last_text, newest.2 AS last_number, newest.3 AS last_json, set_at${held} FROM (${own})) WHERE ${ofRows}`;
  }

  /** Each value in every bucket `held`, from that in which it was set to the one before the next is. */
  #heldAtEnds(set: Sql, unit: TimeUnit): Sql {
    const buckets = whole(bucketsOf(this.#plan.range, unit, this.zone).starts.length);
    const values = sql`SELECT entity, arraySort(value -> value.1, groupArray((bucket, newest, set_at))) AS own FROM (${set}) GROUP BY entity`;
    const spans = sql`SELECT entity, one, until FROM (${values})
    ARRAY JOIN own AS one, arrayPushBack(arrayPopFront(arrayMap(value -> value.1, own)), ${buckets}) AS until`;
    return sql`SELECT entity, one.2 AS newest, one.3 AS set_at, held FROM (${spans}) ARRAY JOIN range(one.1, until) AS held`;
  }
}
