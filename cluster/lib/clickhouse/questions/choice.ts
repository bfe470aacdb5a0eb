/** `choice k | results e`: who saw which variant, and who of them converted. */
import {
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
import type { Question } from '../sql/groups.ts';
import { EventRows, namesOf } from '../sql/rows.ts';
import { personLabels } from '../sql/labels.ts';
import { all, NOTHING, sql, textCell, type Sql, type Tenant, type Found } from '../sql/statement.ts';
import { windowEnd } from '../sql/window-end.ts';

export function choiceQuestion(project: Tenant, plan: ChoicePlan): Question {
  const exposed = new EventRows(project, plan, { ...plan, events: [EXPOSURE] });
  const variant = exposed.value(VARIANT_KEY);
  const unit = exposed.value(plan.unit);
  const isExposed = all([exposed.value(CHOICE_KEY).isText([plan.choice]), variant.present, unit.present]);
  const people = plan.people === undefined ? null : personLabels(plan, exposed);
  const who = people === null ? NOTHING : sql`, ${people.sql} AS who`;
  const exposures = sql`SELECT ${unit.text} AS unit, time, ${variant.text} AS variant${who} ${exposed.from(isExposed)}`;
  const converted = new EventRows(project, plan, { ...plan, events: namesOf([plan.conversion]) });
  const conversions = sql`SELECT ${converted.value(plan.unit).text} AS unit, time ${converted.from()}`;
  const end = windowEnd(sql`first`, 1, { ...plan, zone: zoneOf(plan) });
  const units = (told: Sql, toldOf: Sql): Sql => sql`
  SELECT any(exposed.seen) AS seen, any(exposed.several) AS several${toldOf},
    max(conversion.unit = exposed.unit AND conversion.time >= first AND conversion.time <= ${end}) AS is_converted
  FROM (
    SELECT unit, min(time) AS first, any(variant) AS seen, uniqExact(variant) > 1 AS several${told}
    FROM (${exposures}) GROUP BY unit) AS exposed
  LEFT JOIN (${conversions}) AS conversion ON conversion.unit = exposed.unit
  GROUP BY exposed.unit`;
  if (people !== null) {
    const [told, toldOf] = [
      sql`, any(who) AS labels`,
      sql`, any(exposed.labels) AS label, any(exposed.first) AS begun`,
    ];
    return {
      sql: sql`SELECT label, seen, is_converted, begun FROM (${units(told, toldOf)}) WHERE NOT several`,
      readRows: (found) =>
        found.map(([label, seen, isConverted, time]) => [
          ...people.read(label),
          textCell(seen),
          Number(isConverted) === 1,
          Number(time),
        ]),
    };
  }
  return {
    sql: sql`
SELECT if(several, NULL, seen) AS seen_alone, count() AS users, countIf(is_converted) AS conversions
FROM (${units(NOTHING, NOTHING)})
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
