/**
 * `funnel`: per person, every event of step 1 starts an attempt, and the furthest counts. A person's events are entries of an
 * array, one for each step that an event is of (1 and on), and one if it is excluded (0).
 */
import { zoneOf } from '../../dsl/plan/columns.ts';
import { SECOND_MS } from '../../dsl/plan/fields.ts';
import type { EventName, FunnelPlan } from '../../dsl/plan/plan.ts';
import type { Cell } from '../../dsl/plan/table.ts';
import { attemptsOf } from './funnel-attempts.ts';
import type { Question } from '../sql/groups.ts';
import { labelsOf } from '../sql/labels.ts';
import { conditionSql } from '../sql/conditions.ts';
import { isNamed, personEvents } from '../sql/person-events.ts';
import { EventRows, namesOf } from '../sql/rows.ts';
import { all, any, join, sql, whole, type Sql, type Tenant, arrayCell } from '../sql/statement.ts';
import { windowEnd } from '../sql/window-end.ts';

export function funnelQuestion(project: Tenant, plan: FunnelPlan): Question {
  const rows = new EventRows(project, plan, { ...plan, events: namesOf(namesIn(plan)) });
  const labels = labelsOf(plan, rows);
  const entries = entriesOf(plan, rows, labels.sql);
  const persons = sql`(SELECT arraySort(groupArray(entry)) AS entries FROM ${entries} GROUP BY person HAVING max(entry.4 = 1))`;
  const overlaps = !areDistinct(plan.steps.map(({ event }) => event));
  const later = plan.steps.slice(1).map((_, k) => whole(k + 2));
  const users = [whole(1), ...later].map((step) => sql`countIf(length(taken) >= ${step})`);
  const since = (step: Sql): Sql => sql`taken[${step}] - taken[${step} - 1]`;
  const medians = later.map((step) => sql`quantileExactInclusiveIf(0.5)(${since(step)}, length(taken) >= ${step})`);
  const end = windowEnd(sql`attempt[1]`, 1, { ...plan, zone: zoneOf(plan) });
  return {
    sql: sql`
SELECT label, [${join(users, ', ')}] AS users, [${join(medians, ', ')}] AS medians
FROM (
  SELECT arrayMap(attempt -> length(arrayFilter(t -> t <= ${end}, attempt)), attempts) AS lengths,
    indexOf(lengths, arrayMax(lengths)) AS counted,
    arraySlice(attempts[counted], 1, lengths[counted]) AS taken, starts[counted] AS label
  FROM ${attemptsOf(persons, plan, overlaps)})
GROUP BY label`,
    readRows: (found) =>
      found.flatMap(([label, counts, milliseconds]) =>
        stepRows(plan, arrayCell(counts).map(Number), arrayCell(milliseconds)).map((row) => [
          ...labels.read(label),
          ...row,
        ]),
      ),
  };
}

/**
 * `person` and `entry`: (time, rank, arrival, step, labels). The rank is where an entry stands among those of its millisecond, so
 * that an attempt that goes on never goes back: excluded events do not end an attempt in their own millisecond, and come first;
 * steps follow each other. An event is used once, so of its own steps the last comes first.
 */
function entriesOf(plan: FunnelPlan, rows: EventRows, labels: Sql): Sql {
  const steps = plan.steps.map(({ event, where }, k) => ({
    is: all([isNamed(event), conditionSql(where, (field) => rows.value(field))]),
    number: whole(k + 1),
  }));
  const isExcluded = any(plan.exclude.map(isNamed));
  if (areDistinct(namesIn(plan))) {
    const cases = steps.map(({ is, number }) => sql`${is}, ${number}`);
    const events = personEvents(rows, { step: sql`multiIf(${join(cases, ', ')}, ${isExcluded}, 0, -1)`, labels });
    return sql`(SELECT person, (time, step, arrival, step, labels) AS entry FROM ${events} WHERE step >= 0)`;
  }
  const own = steps.map(({ is, number }) => sql`if(${is}, ${number}, -1)`);
  const events = personEvents(rows, {
    steps: sql`arrayFilter(step -> step > 0, [${join(own, ', ')}])`,
    excluded: isExcluded,
    labels,
  });
  const rank = sql`if(step = 0, -1000, if(length(steps) > 1, -step, step))`;
  return sql`(SELECT person, (time, ${rank}, arrival, step, labels) AS entry FROM ${events} ARRAY JOIN arrayConcat(if(excluded, [0], []), steps) AS step)`;
}

const namesIn = ({ steps, exclude }: FunnelPlan): EventName[] => [...steps.map(({ event }) => event), ...exclude];

/** Whether no event has two of these names. */
const areDistinct = (names: readonly EventName[]): boolean =>
  !names.includes(null) && new Set(names).size === names.length;

/** null of nothing. */
const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

/** @param users How many reached each step. @param medians Milliseconds since the step before, from the second step on. */
function stepRows({ steps }: FunnelPlan, users: readonly number[], medians: readonly unknown[]): Cell[][] {
  return steps.map(({ event }, step) => {
    const own = users[step]!;
    const median = step === 0 || own === 0 ? null : Number(medians[step - 1]) / SECOND_MS;
    return [step + 1, event ?? '*', own, share(own, users[0]!), share(own, users[Math.max(step - 1, 0)]!), median];
  });
}
