/**
 * `funnel`: per person, every event of step 1 starts an attempt, and the furthest counts. In the given order, a person's events are
 * entries of an array, one for each step that an event is of (1 and on), and one if it is excluded (0).
 */
import {
  type EventName,
  type FunnelPlan,
  SECOND_MS,
  stepRows,
  type StepTime,
  unreachable,
  zoneOf,
} from '../../../../lib/seam.ts';
import { attemptsOf } from './funnel-attempts.ts';
import { anyAttempts, strictAttempts, valueOf } from './funnel-orders.ts';
import { type Question, labelsOf } from '../sql/groups.ts';
import { conditionSql } from '../sql/conditions.ts';
import { isNamed, personEvents } from '../sql/person-events.ts';
import { EventRows, namesOf } from '../sql/rows.ts';
import {
  all,
  any,
  arrayCell,
  join,
  nullable,
  NOTHING,
  numberCell,
  sql,
  whole,
  type Sql,
  type Tenant,
} from '../sql/statement.ts';
import { windowEnd } from '../sql/windows.ts';

export function funnelQuestion(project: Tenant, plan: FunnelPlan): Question {
  const events = plan.stepOrder === 'strict' ? null : namesOf(namesIn(plan));
  const rows = new EventRows(project, plan, { ...plan, events });
  const labels = labelsOf(plan, rows);
  const steps = plan.steps.map((_, k) => whole(k + 1));
  const users = steps.map((step) => sql`countIf(length(taken) >= ${step})`);
  const asked = [MEDIAN, ...plan.times];
  const times = steps.slice(1).map(
    (step) =>
      sql`[${join(
        asked.map((time) => timeOf(time, step)),
        ', ',
      )}]`,
  );
  return {
    sql: sql`SELECT label, [${join(users, ', ')}] AS users, [${join(times, ', ')}] AS times
FROM ${countedOf(plan, attemptsIn(plan, rows, sql`(${labels.sql}, arrival)`))}
GROUP BY label`,
    readRows: (found) =>
      found.flatMap(([label, counts, milliseconds]) => {
        const since = [asked.map(() => null), ...arrayCell(milliseconds).map((own) => arrayCell(own).map(seconds))];
        const counted = arrayCell(counts).map((reached, step) => ({ reached: Number(reached), times: since[step]! }));
        return stepRows(plan, counted).map((row) => [...labels.read(label), ...row]);
      }),
  };
}

const MEDIAN: Pick<StepTime, 'kind' | 'p'> = { kind: 'percentile', p: 50 };

/** NULL of nobody. */
const seconds = (cell: unknown): number | null => nullable(cell, (value) => numberCell(value) / SECOND_MS);

/** A metric of the milliseconds since the step before, of those who reached a step; NULL of nobody. */
function timeOf({ kind, p }: Pick<StepTime, 'kind' | 'p'>, step: Sql): Sql {
  const reached = sql`length(taken) >= ${step}`;
  const since = sql`if(${reached}, taken[${step}] - taken[${step} - 1], NULL)`;
  const own = (): Sql => {
    switch (kind) {
      case 'percentile': {
        const sorted = sql`arraySort(groupArray(${since}))`;
        const rank = sql`(length(${sorted}) - 1) * ${whole(p ?? 50)}`;
        const [low, high] = [sql`${sorted}[intDiv(${rank}, 100) + 1]`, sql`${sorted}[intDiv(${rank} + 99, 100) + 1]`];
        return sql`${low} + (${high} - ${low}) * ((${rank}) % 100) / 100`;
      }
      case 'avg':
        return sql`avg(${since})`;
      case 'sum':
        return sql`sum(${since})`;
      case 'min':
        return sql`min(${since})`;
      case 'max':
        return sql`max(${since})`;
      case 'stddev':
        return sql`if(count(${since}) < 2, NULL, stddevSampStable(${since}))`;
      default:
        return unreachable(kind);
    }
  };
  return sql`if(countIf(${reached}) = 0, NULL, toFloat64(${own()}))`;
}

/** `taken` and `label` of every counted attempt. What lies outside of the window ends an attempt. */
function countedOf(plan: FunnelPlan, attempts: Sql): Sql {
  const end = windowEnd(sql`attempt[1]`, 1, { ...plan, zone: zoneOf(plan) });
  const counted = sql`(SELECT person, arrayMap(attempt -> length(arrayFilter(t -> t <= ${end}, attempt)), attempts) AS lengths,
    indexOf(lengths, arrayMax(lengths)) AS counted,
    arraySlice(attempts[counted], 1, lengths[counted]) AS taken, starts[counted] AS start
  FROM ${attempts})`;
  if (plan.same === null || plan.stepOrder === 'strict') return sql`(SELECT taken, start.1 AS label FROM ${counted})`;
  // Of a person's attempts, one for each value of what steps have in common, the furthest, of several the earliest.
  const order = sql`(length(taken), -taken[1], -toInt64(start.2))`;
  return sql`(SELECT best.1 AS taken, best.2 AS label FROM (SELECT argMax((taken, start.1), ${order}) AS best FROM ${counted} GROUP BY person))`;
}

/** A subquery of `person`, `attempts` and `starts`. */
function attemptsIn(plan: FunnelPlan, rows: EventRows, start: Sql): Sql {
  switch (plan.stepOrder) {
    case 'given':
      return attemptsOf(personsOf(plan, rows, start), plan, !areDistinct(stepNames(plan)));
    case 'strict':
      return strictAttempts(plan, rows, start);
    case 'any':
      return anyAttempts(plan, rows, start);
    default:
      return unreachable(plan.stepOrder);
  }
}

/** A subquery of `person` and its `entries`; with `same`, of each value of it. */
function personsOf(plan: FunnelPlan, rows: EventRows, start: Sql): Sql {
  const entries = entriesOf(plan, rows, start);
  const sorted = sql`arraySort(groupArray(entry))`;
  const starts = sql`HAVING max(entry.4 = 1)`;
  if (plan.same === null) return sql`(SELECT person, ${sorted} AS entries FROM ${entries} GROUP BY person ${starts})`;
  const only = sql`(notEmpty(value) OR entry.4 = 1)`; // without a value there are only starts
  if (plan.exclude.length === 0) {
    return sql`(SELECT person, ${sorted} AS entries FROM ${entries} WHERE ${only} GROUP BY person, value ${starts})`;
  }
  const own = sql`entry.4 = 0 OR (entry.6 = value AND ${only})`;
  return sql`(SELECT person, arrayFilter(entry -> ${own}, every) AS entries
  FROM (SELECT person, ${sorted} AS every FROM ${entries} GROUP BY person ${starts})
  ARRAY JOIN arrayDistinct(arrayMap(entry -> entry.6, arrayFilter(entry -> entry.4 = 1, every))) AS value)`;
}

/**
 * `person` and `entry`: (time, rank, arrival, step, start, value). The rank is where an entry stands among those of its
 * millisecond, so that an attempt that goes on never goes back: excluded events do not end an attempt in their own millisecond,
 * and come first; steps follow each other. An event is used once, so of its own steps the last comes first.
 */
function entriesOf(plan: FunnelPlan, rows: EventRows, start: Sql): Sql {
  const steps = plan.steps.map(({ events, where }, k) => ({
    is: all([any(events.map(isNamed)), conditionSql(where, (field) => rows.value(field))]),
    number: whole(k + 1),
  }));
  const isExcluded = any(plan.exclude.map(isNamed));
  const shared = { start, ...(plan.same === null ? {} : { value: valueOf(plan.same, rows) }) };
  const [value, ofEntry] = plan.same === null ? [NOTHING, NOTHING] : [sql`, value`, sql`, value`];
  if (areDistinct(namesIn(plan))) {
    const cases = steps.map(({ is, number }) => sql`${is}, ${number}`);
    const step = sql`multiIf(${join(cases, ', ')}, ${isExcluded}, 0, -1)`;
    const events = personEvents(rows, { step, ...shared }, plan.unit);
    return sql`(SELECT person${value}, (time, step, arrival, step, start${ofEntry}) AS entry FROM ${events} WHERE step >= 0)`;
  }
  const own = steps.map(({ is, number }) => sql`if(${is}, ${number}, -1)`);
  const found = sql`arrayFilter(step -> step > 0, [${join(own, ', ')}])`;
  const events = personEvents(rows, { steps: found, excluded: isExcluded, ...shared }, plan.unit);
  const rank = sql`if(step = 0, -1000, if(length(steps) > 1, -step, step))`;
  return sql`(SELECT person${value}, (time, ${rank}, arrival, step, start${ofEntry}) AS entry FROM ${events} ARRAY JOIN arrayConcat(if(excluded, [0], []), steps) AS step)`;
}

/** The events of each step once. */
const stepNames = ({ steps }: FunnelPlan): EventName[] => steps.flatMap(({ events }) => [...new Set(events)]);

const namesIn = (plan: FunnelPlan): EventName[] => [...stepNames(plan), ...plan.exclude];

/** Whether no event has two of these names. */
const areDistinct = (names: readonly EventName[]): boolean =>
  !names.includes(null) && new Set(names).size === names.length;
