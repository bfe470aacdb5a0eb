/**
 * The attempts of a funnel whose steps follow each other strictly, or in any order. A person's `entries` are (time, arrival, fits,
 * start, value, excluded), in the order of events: bit k of `fits` says whether the event is of step k, `value` is what steps have
 * in common, as a list of at most one text.
 * Each is a subquery of `person`, `attempts` (the times of the steps that each takes) and `starts`, in the order of events.
 */
import type { Field, FunnelPlan } from '../../../../lib/seam.ts';
import { conditionSql } from '../sql/conditions.ts';
import { isNamed, personEvents } from '../sql/person-events.ts';
import type { EventRows } from '../sql/rows.ts';
import { any, FALSE, join, name, NOTHING, sql, TRUE, whole, type Sql } from '../sql/statement.ts';

/** A text in a list, which is empty where it is missing: unlike NULL, it is a value like others. */
export function valueOf(field: Field, rows: EventRows): Sql {
  const { text } = rows.value(field);
  return sql`if(${text} IS NULL, CAST([], 'Array(String)'), [assumeNotNull(${text})])`;
}

const NO_TIMES = sql`CAST([], 'Array(Int64)')`;

/** @param start What is told of the event that starts an attempt. */
export function strictAttempts(plan: FunnelPlan, rows: EventRows, start: Sql): Sql {
  const steps = plan.steps.length;
  const entries = entriesOf(plan, rows, start);
  const persons = sql`SELECT person, arraySort(e -> (e.1, e.2), groupArray(entry)) AS entries FROM ${entries} GROUP BY person HAVING max(bitTest(entry.3, 0))`;
  const alike = plan.same === null ? TRUE : sql`notEmpty(own[at].5) AND own[at + k].5 = own[at].5`;
  const follows = sql`at + k <= length(own) AND bitTest(own[at + k].3, k) AND ${alike}`;
  const reached = sql`arrayFirstIndex(k -> NOT (${follows}), range(1, ${whole(steps)}))`;
  const taken = sql`arrayMap(entry -> entry.1, arraySlice(own, at, if(${reached} = 0, ${whole(steps)}, ${reached})))`;
  return sql`(SELECT person, entries AS own, arrayFilter(at -> bitTest(own[at].3, 0), arrayEnumerate(own)) AS places,
    arrayMap(at -> ${taken}, places) AS attempts, arrayMap(at -> own[at].4, places) AS starts FROM (${persons}))`;
}

export function anyAttempts(plan: FunnelPlan, rows: EventRows, start: Sql): Sql {
  const entries = entriesOf(plan, rows, start);
  const persons =
    plan.same === null || plan.exclude.length === 0
      ? sql`SELECT person, ${plan.same === null ? NOTHING : sql`entry.5 AS value,`} groupArray(entry) AS found FROM ${entries} GROUP BY person${plan.same === null ? NOTHING : sql`, value`}`
      : sql`SELECT person, value, arrayFilter(entry -> entry.6 OR entry.5 = value, every) AS found
  FROM (SELECT person, groupArray(entry) AS every FROM ${entries} GROUP BY person) ARRAY JOIN arrayDistinct(arrayMap(entry -> entry.5, every)) AS value`;
  return attemptsInAnyOrder(persons, plan);
}

function attemptsInAnyOrder(persons: Sql, { steps, exclude, same }: FunnelPlan): Sql {
  const count = steps.length;
  const isAlike = same === null ? TRUE : sql`entry.5 = value`;
  const excluded = sql`arrayMap(entry -> entry.1, arrayFilter(entry -> entry.6, found))`;
  const own = sql`SELECT person, ${same === null ? FALSE : sql`empty(value)`} AS alone, ${exclude.length === 0 ? NO_TIMES : excluded} AS barriers,
    arraySort(entry -> (entry.1, entry.2), arrayFilter(entry -> entry.3 != 0 AND ${isAlike}, found)) AS own FROM (${persons})`;
  const nexts = Array.from(
    { length: count },
    (_, k) =>
      sql`arrayReverseFill((place, is) -> is, arrayPushBack(arrayEnumerate(own), toUInt32(length(own) + 1)), arrayPushBack(arrayMap(entry -> bitTest(entry.3, ${whole(k)}), own), 1))`,
  );
  const waiting = sql`arrayMap((next, k) -> if(bitTest(state.2, k), toUInt32(length(own) + 1), next[state.1 + 1]), nexts, range(0, ${whole(count)}))`;
  const open = sql`bitAnd(own[next].3, bitNot(state.2))`;
  const took = sql`(next, bitOr(state.2, ${lowestBit(open)}), arrayPushBack(state.3, own[next].1))`;
  const step = sql`arrayMap(next -> if(next > length(own), state, ${took}), [arrayMin(${waiting})])[1]`;
  const first = sql`(toUInt32(at), ${lowestBit(sql`own[at].3`)}, [own[at].1])`;
  const walked = sql`arrayFold((state, nth) -> ${step}, range(1, ${whole(count)}), ${first}).3`;
  const between = sql`arrayExists(time -> time > walked[k] AND time < walked[k + 1], barriers)`;
  const cut = sql`arrayFirstIndex(k -> ${between}, arrayEnumerate(arrayPopBack(walked)))`;
  const taken = exclude.length === 0 ? sql`walked` : sql`if(${cut} = 0, walked, arraySlice(walked, 1, ${cut}))`;
  return sql`(SELECT person, arrayMap(walked -> ${taken}, arrayMap(at -> if(alone, [own[at].1], ${walked}), arrayEnumerate(own))) AS attempts,
    arrayMap(entry -> entry.4, own) AS starts
  FROM (SELECT *, [${join(nexts, ', ')}] AS nexts FROM (${own})) WHERE notEmpty(own))`;
}

const lowestBit = (bits: Sql): Sql => sql`bitAnd(${bits}, bitNot(${bits}) + 1)`;

/** All events of persons in a strict order; otherwise those of steps, and excluded ones. */
function entriesOf(plan: FunnelPlan, rows: EventRows, start: Sql): Sql {
  const steps = plan.steps.map(
    ({ events, where }) => sql`(${any(events.map(isNamed))}) AND ${conditionSql(where, (field) => rows.value(field))}`,
  );
  const fits = join(
    steps.map((is, k) => sql`bitShiftLeft(toUInt64(${is}), ${whole(k)})`),
    ' + ',
  );
  const events = personEvents(
    rows,
    {
      fits,
      start,
      value: plan.same === null ? sql`0` : valueOf(plan.same, rows),
      excluded: any(plan.exclude.map(isNamed)),
    },
    plan.unit,
  );
  const kept = plan.stepOrder === 'strict' ? NOTHING : sql` WHERE fits != 0 OR excluded`;
  return sql`(SELECT person, (time, arrival, fits, start, value, excluded) AS ${name('entry')} FROM ${events}${kept})`;
}
