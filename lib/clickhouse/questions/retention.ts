/** `retention`: cohorts by the bucket of the first start, and who returned in the k-th bucket after it. */
import { MAX_PERIOD } from '../../dsl/plan/columns.ts';
import type { RetentionPlan } from '../../dsl/plan/plan.ts';
import { bucketColumn } from '../sql/buckets.ts';
import type { Question } from '../sql/groups.ts';
import { labelsOf } from '../sql/labels.ts';
import { isNamed, personEvents } from '../sql/person-events.ts';
import { EventRows, namesOf } from '../sql/rows.ts';
import { join, sql, whole, type Sql, type Tenant, arrayCell } from '../sql/statement.ts';

export function retentionQuestion(project: Tenant, plan: RetentionPlan): Question {
  const rows = new EventRows(project, plan, { ...plan, events: namesOf([plan.event, plan.returning]) });
  const { index, labels: buckets } = bucketColumn(plan, plan.unit, rows.time);
  const labels = labelsOf(plan, rows);
  const events = personEvents(rows, {
    bucket: sql`toUInt32(${index})`,
    moment: sql`(time, arrival)`,
    starts: isNamed(plan.event),
    returns: isNamed(plan.returning),
    labels: labels.sql,
  });
  const returnsAtOnce = plan.returning === null || plan.returning === plan.event;
  const persons = returnsAtOnce ? personsWhoReturn(plan, events, buckets.length) : personsWhoMayReturn(events);
  const periods = Array.from({ length: Math.min(MAX_PERIOD, buckets.length - 1) + 1 }, (_, k) => whole(k));
  return {
    sql: sql`
SELECT cohort, label, count() AS users, [${join(
      periods.map((k) => sql`countIf(${persons.returned(k)})`),
      ', ',
    )}] AS periods
FROM (${persons.sql})
GROUP BY cohort, label`,
    readRows: (found) =>
      found.map(([cohort, label, users, counts]) => {
        const bucket = Number(cohort);
        // A period past the range's last bucket is null.
        const returned = arrayCell(counts).map((count, k) => (bucket + k < buckets.length ? Number(count) : null));
        return [...labels.read(label), buckets[bucket]!, Number(users), ...returned];
      }),
  };
}

/** Persons with their `cohort` and its `label`, and whether one returned in the k-th bucket after. */
interface Persons {
  readonly sql: Sql;
  returned(k: Sql): Sql;
}

/** A start is a return itself, and so is every event. */
function personsWhoReturn({ groups }: RetentionPlan, events: Sql, buckets: number): Persons {
  const isFew = buckets <= 64;
  const active = isFew ? sql`groupBitOr(bitShiftLeft(toUInt64(1), bucket))` : sql`groupUniqArray(bucket)`;
  const label = groups.length === 0 ? sql`tuple(0)` : sql`argMinIf(labels, moment, starts)`;
  return {
    sql: sql`SELECT minIf(bucket, starts) AS cohort, ${label} AS label, ${active} AS active FROM ${events} GROUP BY person HAVING max(starts)`,
    returned: (k) => (isFew ? sql`bitTest(active, least(cohort + ${k}, 63))` : sql`has(active, cohort + ${k})`),
  };
}

/** In the bucket of the start only what does not come before it is a return. */
function personsWhoMayReturn(events: Sql): Persons {
  const byBucket = sql`
    SELECT person, bucket, countIf(starts) > 0 AS started, minIf(moment, starts) AS first, argMinIf(labels, moment, starts) AS label,
      countIf(returns) > 0 AS returned, maxIf(moment, returns) AS last
    FROM ${events} GROUP BY person, bucket`;
  return {
    sql: sql`
  SELECT argMinIf(bucket, first, started) AS cohort, argMinIf(label, first, started) AS label,
    groupArrayIf(bucket, returned) AS active, groupArrayIf(bucket, started AND returned AND last >= first) AS since
  FROM (${byBucket})
  GROUP BY person HAVING max(started)`,
    returned: (k) => sql`has(if(${k} = 0, since, active), cohort + ${k})`,
  };
}
