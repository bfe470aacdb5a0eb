/** What is asked about events, grouped or not: metrics, expressions over them, and which events there are. */
import {
  type AggregatePlan,
  evaluateFormula,
  type FormulaPlan,
  type InspectPlan,
  CHOICE_KEY,
  type ChoicePlan,
  EXPOSURE,
  exposuresOf,
  variantsInOrder,
  resultRows,
  VARIANT_KEY,
  type VariantTally,
  zoneOf,
} from '../../../../lib/seam.ts';
import { groupedQuestion, metricsOf, type Question } from '../sql/groups.ts';
import { EventRows, namesOf } from '../sql/rows.ts';
import { metricColumns } from '../sql/metrics.ts';
import { filledColumn } from '../sql/values.ts';
import { kindedWindow, windowEnd } from '../sql/windows.ts';
import { MAPS } from '../sql/properties.ts';
import { all, sql, type Tenant, numberCell, textCell, whole, type Found } from '../sql/statement.ts';

/** Metrics over events, grouped. */
export function aggregateQuestion(project: Tenant, plan: AggregatePlan): Question {
  const { range, event, where, person } = plan;
  const rows = new EventRows(project, plan, { range, events: namesOf([event]), where, person });
  return groupedQuestion(rows, plan, metricsOf(plan.metrics, rows));
}

/** An expression over metrics of events. */
export function formulaQuestion(project: Tenant, plan: FormulaPlan): Question {
  const { range, where, operands, expression } = plan;
  const events = namesOf(operands.map(({ event }) => event));
  const rows = new EventRows(project, plan, { range, events, where });
  const type = filledColumn(rows.type);
  const bucket = plan.groups.find((group) => group.kind === 'bucket');
  const kind = plan.rolling === undefined || bucket === undefined ? null : kindedWindow(plan, plan.rolling, bucket.unit, rows.time).kind; // prettier-ignore
  const metrics = operands.map(({ event, metric }, index) => {
    const ofEvent = event === null ? [] : [type.isText([event])];
    const ofWindow = kind === null ? [] : [sql`${kind} = ${whole(index)}`];
    const only = [...ofEvent, ...ofWindow];
    return metricColumns(metric, rows, only.length === 0 ? null : all(only));
  });
  const question = groupedQuestion(rows, plan, metrics);
  return {
    sql: question.sql,
    readRows: (found) =>
      question.readRows(found).map((row) => {
        const values = row.slice(-operands.length).map((cell) => (typeof cell === 'number' ? cell : null));
        return [...row, evaluateFormula(expression, values)];
      }),
  };
}

/** `inspect *`: the events there are. */
export function inspectQuestion(project: Tenant, plan: InspectPlan): Question {
  const rows = new EventRows(project, plan, { ...plan, events: null });
  const person = rows.personKey;
  return {
    sql: sql`SELECT event_type, count(), uniqExactIf(${person}, ${person} != 0), min(time), max(time), length(groupUniqArrayArray(mapKeys(${MAPS.event.texts}))) ${rows.from()} GROUP BY event_type`,
    readRows: (found) => found.map(([type, ...measured]) => [textCell(type), ...measured.map(numberCell)]),
  };
}

export function choiceQuestion(project: Tenant, plan: ChoicePlan): Question {
  const exposed = new EventRows(project, plan, { ...plan, events: [EXPOSURE] });
  const variant = exposed.value(VARIANT_KEY);
  const unit = exposed.value(plan.unit);
  const isExposed = all([exposed.value(CHOICE_KEY).isText([plan.choice]), variant.present, unit.present]);
  const exposures = sql`SELECT ${unit.text} AS unit, time, ${variant.text} AS variant ${exposed.from(isExposed)}`;
  const converted = new EventRows(project, plan, { ...plan, events: namesOf([plan.conversion]) });
  const conversions = sql`SELECT ${converted.value(plan.unit).text} AS unit, time ${converted.from()}`;
  const end = windowEnd(sql`first`, 1, { ...plan, zone: zoneOf(plan) });
  return {
    sql: sql`
SELECT if(several, NULL, seen) AS seen_alone, count() AS users, countIf(is_converted) AS conversions
FROM (
  SELECT any(exposed.seen) AS seen, any(exposed.several) AS several,
    max(conversion.unit = exposed.unit AND conversion.time >= first AND conversion.time <= ${end}) AS is_converted
  FROM (
    SELECT unit, min(time) AS first, any(variant) AS seen, uniqExact(variant) > 1 AS several
    FROM (${exposures}) GROUP BY unit) AS exposed
  LEFT JOIN (${conversions}) AS conversion ON conversion.unit = exposed.unit
  GROUP BY exposed.unit)
GROUP BY seen_alone`,
    readRows: (found) => resultRows(variantsInOrder(tallies(found))),
    exposures: (found) => {
      const several = found.reduce((sum, [seen, users]) => (seen === null ? Number(users) : sum), 0);
      return exposuresOf(tallies(found), several);
    },
  };
}

function tallies(found: Found): VariantTally[] {
  return found.flatMap(([seen, users, conversions]) =>
    typeof seen === 'string' ? [{ variant: seen, users: Number(users), conversions: Number(conversions) }] : [],
  );
}
