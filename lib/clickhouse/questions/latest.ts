/** The newest value of a field of each entity, and metrics over these. */
import type { Field, LatestPlan } from '../../dsl/plan/plan.ts';
import { isRowList, zoneOf } from '../../dsl/plan/columns.ts';
import type { Cell } from '../../dsl/plan/table.ts';
import type { Zone } from '../../dsl/time/zone.ts';
import { isTimeField } from '../../dsl/plan/fields.ts';
import { formatTime } from '../../dsl/time/format-time.ts';
import { conditionSql } from '../sql/conditions.ts';
import { groupedQuestion, metricsOf, readColumns, type Question } from '../sql/groups.ts';
import type { ColumnSql } from '../sql/metrics.ts';
import { EventRows, namesOf, type Rows } from '../sql/rows.ts';
import { sql, type Sql, type Tenant, numberCell, textCell } from '../sql/statement.ts';
import { givenValue, nullableText, timeValue, type Value } from '../sql/values.ts';

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

/** A cell of its JSON text. @param zone Of a time: it is printed. */
function typedCell(json: unknown, zone: Zone | null): Cell {
  const cell: unknown = JSON.parse(textCell(json));
  if (typeof cell === 'number' && zone !== null) return formatTime(cell, zone);
  if (cell === null || typeof cell === 'string' || typeof cell === 'number' || typeof cell === 'boolean') return cell;
  return Array.isArray(cell) ? cell : { ...cell };
}

/** A row per entity. */
class LatestRows implements Rows {
  readonly project: Tenant;
  readonly zone: Zone;
  readonly time = sql`set_at`;
  readonly #plan: LatestPlan;
  readonly #events: EventRows;

  constructor(project: Tenant, plan: LatestPlan) {
    this.project = project;
    this.zone = zoneOf(plan);
    this.#plan = plan;
    this.#events = new EventRows(project, plan, { ...plan, events: namesOf([plan.event]) });
  }

  value(field: Field): Value {
    if (field.kind !== 'latest') throw new Error(`a row of latest has no ${field.kind} fields`);
    switch (field.name) {
      case 'entity':
        return nullableText(sql`entity`);
      case 'set_at':
        return timeValue(sql`set_at`, this.zone, this.#plan.range);
      case 'last_value':
        return givenValue({ text: sql`last_text`, number: sql`last_number`, json: sql`last_json` });
    }
  }

  from(): Sql {
    const value = this.#events.value(this.#plan.field);
    const entity = this.#events.value(this.#plan.entity);
    const having = conditionSql(this.#plan.having, (field) => this.value(field));
    const newest = sql`argMax((${value.text}, ${value.number}, ${value.json}), (time, arrival))`;
    const events = this.#events;
    const exist = sql`(${value.exists}) AND (${entity.present})`;
    const own = sql`SELECT assumeNotNull(${entity.text}) AS entity, ${newest} AS newest, max(time) AS set_at ${events.from(exist)} GROUP BY entity`;
    return sql`FROM (SELECT entity, newest.1 AS last_text, newest.2 AS last_number, newest.3 AS last_json, set_at FROM (${own})) WHERE ${having}`;
  }
}
