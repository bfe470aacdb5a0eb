/** `retention`: cohorts by the bucket of the first start, and who returned in the k-th bucket after it, or a metric of what they did. */
import {
  type Cell,
  type CellMetric,
  cohortCells,
  kept,
  periodsOf,
  type PeriodSum,
  type RetentionPlan,
} from '../../../../lib/seam.ts';
import { bucketColumn } from '../sql/buckets.ts';
import { conditionSql } from '../sql/conditions.ts';
import { type Question, labelsOf, type Labels } from '../sql/groups.ts';
import { measuredNumber } from '../sql/measured-number.ts';
import { isNamed, personEvents } from '../sql/person-events.ts';
import { EventRows, namesOf } from '../sql/rows.ts';
import { arrayCell, join, sql, TRUE, whole, type Found, type Sql, type Tenant } from '../sql/statement.ts';

export function retentionQuestion(project: Tenant, plan: RetentionPlan): Question {
  const { from, to } = plan.range;
  const rows = new EventRows(project, plan, {
    ...plan,
    range: plan.first ? { from: -Infinity, to } : plan.range,
    events: namesOf([plan.event, plan.returning]),
  });
  const { index, labels: buckets } = bucketColumn(plan, plan.unit, rows.time);
  const labels = labelsOf(plan, rows);
  const [metric] = plan.metrics;
  const events = personEvents(rows, {
    // What lies before the range is of nobody's cohort, and of no period of one.
    bucket: plan.first ? sql`if(time < ${whole(from)}, 0, toUInt32(${index}))` : sql`toUInt32(${index})`,
    moment: sql`(time, arrival)`,
    starts: isNamed(plan.event),
    returns: metric === undefined ? isNamed(plan.returning) : isMeasured(plan, metric, rows),
    labels: labels.sql,
    ...(metric === undefined ? {} : { number: measuredNumber(metric, rows) }),
  });
  const cohort: CohortSql = { buckets, labels, inRange: plan.first ? sql`first.1 >= ${whole(from)}` : TRUE };
  return metric === undefined ? personsQuestion(plan, events, cohort) : cellsQuestion(plan, events, cohort);
}

interface CohortSql {
  readonly buckets: readonly string[];
  readonly labels: Labels;
  /** Whether the `first` start may make a cohort. */
  readonly inRange: Sql;
}

function personsQuestion(plan: RetentionPlan, events: Sql, { buckets, labels, inRange }: CohortSql): Question {
  const returnsAtOnce = plan.returning === null || plan.returning === plan.event;
  const persons = returnsAtOnce
    ? personsWhoReturn(plan, events, buckets.length)
    : personsWhoMayReturn(events, plan.unbounded);
  const { last } = periodsOf(plan);
  const periods = Array.from({ length: Math.min(last + 1, buckets.length) }, (_, k) => persons.returned(k));
  return {
    sql: sql`
SELECT cohort, label, count() AS users, [${join(
      periods.map((returned) => sql`countIf(${returned})`),
      ', ',
    )}] AS periods
FROM (${persons.sql})
WHERE ${inRange}
GROUP BY cohort, label`,
    readRows: (found) =>
      found.map(([cohort, label, users, counts]) => {
        const reached = buckets.length - Number(cohort);
        const returned = arrayCell(counts).slice(0, reached).map(Number);
        return cohortRow({ ...plan, buckets, labels }, { cohort, label, users: Number(users), cells: returned });
      }),
  };
}

/** A period past the range's last bucket is null. */
function cohortRow(
  plan: RetentionPlan & Pick<CohortSql, 'buckets' | 'labels'>,
  { cohort, label, users, cells }: { cohort: unknown; label: unknown; users: number; cells: readonly Cell[] },
): Cell[] {
  const { last } = periodsOf(plan);
  const past = Array.from({ length: last + 1 - cells.length }, () => null);
  return [...plan.labels.read(label), plan.buckets[Number(cohort)]!, users, ...cells, ...past];
}

/** Persons with their `cohort`, its `label` and the moment of their `first` start, and whether one returned in the k-th bucket after. */
interface Persons {
  readonly sql: Sql;
  returned(k: number): Sql;
}

/** A start is a return itself, and so is every event. */
function personsWhoReturn({ groups, unbounded }: RetentionPlan, events: Sql, buckets: number): Persons {
  const isFew = buckets <= 64;
  const active = isFew ? sql`groupBitOr(bitShiftLeft(toUInt64(1), bucket))` : sql`groupUniqArray(bucket)`;
  const label = groups.length === 0 ? sql`tuple(0)` : sql`argMinIf(labels, moment, starts)`;
  const at = (k: number): Sql => (isFew ? sql`least(cohort + ${whole(k)}, 63)` : sql`cohort + ${whole(k)}`);
  const since = (k: number): Sql =>
    isFew ? sql`bitShiftRight(active, ${at(k)}) != 0` : sql`arrayMax(active) >= ${at(k)}`;
  const exactly = (k: number): Sql => (isFew ? sql`bitTest(active, ${at(k)})` : sql`has(active, ${at(k)})`);
  return {
    sql: sql`SELECT minIf(bucket, starts) AS cohort, ${label} AS label, minIf(moment, starts) AS first, ${active} AS active FROM ${events} GROUP BY person HAVING max(starts)`,
    returned: unbounded ? since : exactly,
  };
}

/** In the bucket of the start only what does not come before it is a return. */
function personsWhoMayReturn(events: Sql, unbounded: boolean): Persons {
  const byBucket = sql`
    SELECT person, bucket, countIf(starts) > 0 AS started, minIf(moment, starts) AS begun, argMinIf(labels, moment, starts) AS label,
      countIf(returns) > 0 AS returned, maxIf(moment, returns) AS last
    FROM ${events} GROUP BY person, bucket`;
  const exactly = (k: number): Sql => sql`has(${k === 0 ? sql`since` : sql`active`}, cohort + ${whole(k)})`;
  const later = (k: number): Sql => sql`arrayMax(active) >= cohort + ${whole(k)}`;
  const since = (k: number): Sql => (k === 0 ? sql`(${exactly(0)} OR ${later(1)})` : later(k));
  return {
    sql: sql`
  SELECT argMinIf(bucket, begun, started) AS cohort, argMinIf(label, begun, started) AS label, minIf(begun, started) AS first,
    groupArrayIf(bucket, returned) AS active, groupArrayIf(bucket, started AND returned AND last >= begun) AS since
  FROM (${byBucket})
  GROUP BY person HAVING max(started)`,
    returned: unbounded ? since : exactly,
  };
}

/** Whether the metric of the cells is over an event. */
function isMeasured({ returning }: RetentionPlan, { where }: CellMetric, rows: EventRows): Sql {
  if (where === undefined) return isNamed(returning);
  return sql`(${isNamed(returning)} AND ${conditionSql(where, (field) => rows.value(field))})`;
}

/** A row for each cohort and period with somebody: who starts is in the first. */
function cellsQuestion(plan: RetentionPlan, events: Sql, { buckets, labels, inRange }: CohortSql): Question {
  const isCount = plan.metrics[0]?.kind === 'count';
  const given = sql`if(returns, number, NULL)`;
  const [sum, count] = isCount
    ? [sql`0`, sql`countIf(returns)`]
    : [sql`ifNull(sumKahanOrNull(${given}), 0)`, sql`count(${given})`];
  const of = (aggregate: Sql): Sql => sql`${aggregate} OVER (PARTITION BY person)`;
  return {
    sql: sql`
SELECT cohort, label, bucket - cohort AS period, countIf(moment = first) AS users, ${sum} AS sum, ${count} AS count
FROM (
  SELECT bucket, moment, returns, number, ${of(sql`max(starts)`)} AS started, ${of(sql`minIf(moment, starts)`)} AS first,
    ${of(sql`argMinIf(bucket, moment, starts)`)} AS cohort, ${of(sql`argMinIf(labels, moment, starts)`)} AS label
  FROM ${events})
WHERE started AND moment >= first AND ${inRange}
GROUP BY cohort, label, period`,
    readRows: (found) =>
      cohortsIn(found).map(({ cohort, label, users, sums }) => {
        const reached = Math.min(buckets.length - Number(cohort), periodsOf(plan).last + 1);
        const own = Array.from({ length: reached }, (_, k) => sums.get(k) ?? NOTHING);
        return cohortRow({ ...plan, buckets, labels }, { cohort, label, users, cells: cohortCells(plan, own) });
      }),
  };
}

const NOTHING: PeriodSum = { sum: 0, error: 0, count: 0 };

interface CohortSums {
  readonly cohort: unknown;
  readonly label: unknown;
  users: number;
  /** By period. */
  readonly sums: Map<number, PeriodSum>;
}

function cohortsIn(found: Found): CohortSums[] {
  const cohorts = new Map<string, CohortSums>();
  for (const [cohort, label, period, users, sum, count] of found) {
    const name = JSON.stringify([cohort, label]);
    const own = kept(cohorts, name, () => ({ cohort, label, users: 0, sums: new Map() }));
    own.users += Number(users);
    own.sums.set(Number(period), { sum: Number(sum), error: 0, count: Number(count) });
  }
  return [...cohorts.values()];
}
