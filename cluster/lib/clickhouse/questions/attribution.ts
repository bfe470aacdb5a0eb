/** `attribution e | by f`: each conversion with the touches of its person, among which its credit is divided. */
import {
  type AttributionPlan,
  creditRows,
  HALF_LIFE,
  OF_ENDS,
  touchRange,
  unreachable,
  zoneOf,
} from '../../../../lib/seam.ts';
import { conditionSql } from '../sql/conditions.ts';
import type { Question } from '../sql/groups.ts';
import { measuredNumber } from '../sql/measured-number.ts';
import { EventRows, namesOf } from '../sql/rows.ts';
import { all, nullable, number, numberCell, sql, textOrNull, whole, type Sql, type Tenant } from '../sql/statement.ts';
import { windowEnd } from '../sql/windows.ts';

/** ClickHouse's calendar begins with 1900; windows of months that begin earlier hold all events before them. */
const CALENDAR_BEGIN = Date.UTC(1901, 0);

export function attributionQuestion(project: Tenant, plan: AttributionPlan): Question {
  const range = touchRange(plan);
  const begin = windowEnd(sql`moment`, -1, {
    window: plan.window,
    zone: zoneOf(plan),
    range: { from: Math.max(range.from, Math.min(CALENDAR_BEGIN, plan.range.from)), to: range.to },
  });
  const isTouch = sql`conversion.owner != 0 AND touch.owner = conversion.owner AND at >= ${begin} AND at <= moment`;
  const own = sql`
    SELECT any(conversion.number) AS number, ${touchesOf(plan, isTouch)} AS touched
    FROM (${conversionsOf(project, plan)}) AS conversion
    LEFT JOIN (${touchesIn(project, plan)}) AS touch ON touch.owner = conversion.owner
    GROUP BY conversion.owner, conversion.moment, conversion.arrived`;
  const weighed = sql`SELECT number, touched, ${weightsOf(plan)} AS weights FROM (${own})`;
  const divided = sql`SELECT number, touched, weights, arraySum(weights) AS whole FROM (${weighed})`;
  const part = sql`arrayMap((t, weight) -> (t.3, weight / whole), touched, weights)`;
  const parts = sql`SELECT number, arrayJoin(if(empty(touched), ${NO_TOUCH}, ${part})) AS part FROM (${divided})`;
  return {
    sql: sql`SELECT part.1 AS value, sumKahan(part.2) AS credit, sumKahanOrNull(number * part.2) AS sum FROM (${parts}) GROUP BY value`,
    readRows: (found) => {
      const credits = found.map(([value, credit, sum]) => ({
        value: textOrNull(value),
        conversions: numberCell(credit),
        sum: nullable(sum, numberCell),
      }));
      // Each conversion has one credit.
      const conversions = Math.round(credits.reduce((most, credit) => most + credit.conversions, 0));
      return creditRows(plan, credits, conversions);
    },
  };
}

const NO_TOUCH = sql`[(CAST(NULL, 'Nullable(String)'), 1.)]`;

/** `owner`, 0 of nobody, `moment`, `arrived`, by which they differ, and `number`. */
function conversionsOf(project: Tenant, plan: AttributionPlan): Sql {
  const rows = new EventRows(project, plan, { ...plan, events: namesOf([plan.conversion]) });
  const [metric] = plan.metrics;
  const of = metric === undefined ? sql`CAST(NULL, 'Nullable(Float64)')` : measuredNumber(metric, rows);
  const isMeasured = conditionSql(metric?.where ?? null, (field) => rows.value(field));
  const person = rows.personKey;
  return sql`SELECT ${person} AS owner, time AS moment, arrival AS arrived, if(${isMeasured}, ${of}, NULL) AS number ${rows.from()}`;
}

/** `owner`, `at`, `nth`, which orders those of a millisecond, and `value`. */
function touchesIn(project: Tenant, plan: AttributionPlan): Sql {
  const rows = new EventRows(project, plan, { where: plan.where, range: touchRange(plan), events: null });
  const [group] = plan.groups;
  if (group === undefined) throw new Error('an attribution has a group');
  const { text, present } = rows.value(group.field);
  const person = rows.personKey;
  const conditions = [sql`${person} != 0`, present, ...(group.field.kind === 'session' ? [rows.beginsSession] : [])];
  return sql`SELECT ${person} AS owner, time AS at, arrival AS nth, CAST(${text}, 'Nullable(String)') AS value ${rows.from(all(conditions))}`;
}

/** The touches of a conversion, (time, arrival, value), in order; of models that look at one of them that one. */
function touchesOf({ model }: AttributionPlan, isTouch: Sql): Sql {
  const touch = sql`(at, nth, value)`;
  const only = (chosen: Sql): Sql => sql`if(countIf(${isTouch}) = 0, [], [${chosen}])`;
  if (model === 'first') return only(sql`argMinIf(${touch}, (at, nth), ${isTouch})`);
  if (model === 'last') return only(sql`argMaxIf(${touch}, (at, nth), ${isTouch})`);
  return sql`arraySort(t -> (t.1, t.2), groupArrayIf(${touch}, ${isTouch}))`;
}

/** How much of the credit each touch has, in proportion. */
function weightsOf({ model }: AttributionPlan): Sql {
  switch (model) {
    case 'first':
    case 'last':
    case 'linear':
      return sql`arrayMap(t -> 1., touched)`;
    case 'decay':
      return sql`arrayMap(t -> exp2((t.1 - touched[-1].1) / ${whole(HALF_LIFE)}), touched)`;
    case 'position': {
      const count = sql`length(touched)`;
      const between = sql`${number(1 - 2 * OF_ENDS)} / (${count} - 2)`;
      const weight = sql`multiIf(${count} <= 2, 1., nth = 1 OR nth = ${count}, ${number(OF_ENDS)}, ${between})`;
      return sql`arrayMap(nth -> ${weight}, arrayEnumerate(touched))`;
    }
    default:
      return unreachable(model);
  }
}
