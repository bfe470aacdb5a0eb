/** `choice k | results e`: who saw which variant, and what they did then. */
import {
  CHOICE_KEY,
  type ChoicePlan,
  experimentOf,
  EXPOSURE,
  isSeconds,
  type PersonMetric,
  resultRows,
  SECOND_MS,
  VARIANT_KEY,
  type VariantTally,
  zoneOf,
} from '../../../../lib/seam.ts';
import { labelsOf, type Labels, type Question } from '../sql/groups.ts';
import { roundedSql } from '../sql/metrics.ts';
import { EventRows, namesOf } from '../sql/rows.ts';
import { all, nullable, numberCell, sql, textOrNull, whole, type Sql, type Tenant, type Found } from '../sql/statement.ts';
import { windowEnd } from '../sql/windows.ts';

export function choiceQuestion(project: Tenant, plan: ChoicePlan): Question {
  const exposed = new EventRows(project, plan, { ...plan, events: [EXPOSURE] });
  const variant = exposed.value(VARIANT_KEY);
  const unit = exposed.value(plan.unit);
  const labels = labelsOf(plan, exposed);
  const isExposed = all([exposed.value(CHOICE_KEY).isText([plan.choice]), variant.present, unit.present]);
  const exposures = sql`SELECT ${unit.text} AS unit, time, arrival, ${variant.text} AS variant, ${labels.sql} AS labels ${exposed.from(isExposed)}`;
  const done = new EventRows(project, plan, { ...plan, events: namesOf([plan.conversion]) });
  const [metric] = plan.metrics;
  const number = metric === undefined ? sql`NULL` : numberOf(metric, done);
  const events = sql`SELECT ${done.value(plan.unit).text} AS unit, time, ${number} AS number ${done.from()}`;
  const end = windowEnd(sql`first`, 1, { ...plan, zone: zoneOf(plan) });
  const counts = sql`event.unit = exposed.unit AND event.time >= first AND event.time <= ${end}`;
  const { ofUnit, ofVariant } = metric === undefined ? conversions(counts) : numbers(metric, counts);
  return {
    sql: sql`
SELECT if(several, NULL, seen) AS seen_alone, label, count() AS users, ${ofVariant}
FROM (
  SELECT any(exposed.seen) AS seen, any(exposed.several) AS several, any(exposed.label) AS label, ${ofUnit}
  FROM (
    SELECT unit, min(time) AS first, any(variant) AS seen, uniqExact(variant) > 1 AS several, argMin(labels, (time, arrival)) AS label
    FROM (${exposures}) GROUP BY unit) AS exposed
  LEFT JOIN (${events}) AS event ON event.unit = exposed.unit
  GROUP BY exposed.unit)
GROUP BY seen_alone, label`,
    readRows: (found) => resultRows(tallies(plan, labels, found)),
    experiment: (found) => {
      const several = found.reduce((sum, [seen, , users]) => (seen === null ? sum + Number(users) : sum), 0);
      return experimentOf(plan, tallies(plan, labels, found), several);
    },
  };
}

/** What is found of each unit, and of those who saw a variant alone. */
interface Outcome {
  readonly ofUnit: Sql;
  readonly ofVariant: Sql;
}

/** @param counts Whether an event is one of its unit's, in its window. */
const conversions = (counts: Sql): Outcome => ({
  ofUnit: sql`max(${counts}) AS is_converted`,
  ofVariant: sql`countIf(is_converted) AS conversions`,
});

/** The sum or mean of each unit, as it would be printed; a unit without a number has the sum 0 and no mean. */
function numbers({ kind, field }: PersonMetric, counts: Sql): Outcome {
  const sum = sql`sumKahanOrNullIf(number, ${counts})`;
  const given =
    kind === 'sum' ? sql`ifNull(${sum}, 0)` : sql`${sum} / countIf(number, ${counts} AND number IS NOT NULL)`;
  const value = isSeconds(field) ? sql`(${given}) / ${whole(SECOND_MS)}` : given;
  return {
    ofUnit: sql`${roundedSql(value)} AS value`,
    ofVariant: sql`count(value) AS measured, sumKahanOrNull(value) AS total, varSampStable(value) AS variance`,
  };
}

/** Seconds are whole milliseconds: measured so, and divided once. */
function numberOf({ field }: PersonMetric, rows: EventRows): Sql {
  const { number } = rows.value(field);
  return isSeconds(field) ? sql`round(${number} * ${whole(SECOND_MS)})` : number;
}

function tallies({ metrics }: ChoicePlan, labels: Labels, found: Found): readonly VariantTally[] {
  return found.flatMap(([seen, label, users, first, total = null, variance = null]): VariantTally[] => {
    if (typeof seen !== 'string') return [];
    const own = { variant: seen, group: labels.read(label).map(textOrNull), users: Number(users) };
    if (metrics.length === 0) return [{ ...own, conversions: Number(first), numbers: null }];
    const measured = { count: Number(first), total: finite(total), variance: finite(variance) };
    return [{ ...own, conversions: 0, numbers: measured }];
  });
}

/** ClickHouse writes as null what is infinite, or none. */
const finite = (cell: unknown): number => nullable(cell, numberCell) ?? NaN;
