/** What persons do: on how many days, in which buckets of time, and after or before an event. */
import {
  bucketsOf,
  bucketStart,
  lastWholeBucket,
  type People,
  type LifecyclePlan,
  type PathsPlan,
  shownRange,
  type StickinessPlan,
  zoneOf,
  type Cell,
  type Field,
  type IdentitiesPlan,
  isRecord,
  isRowList,
  type ProfileField,
  readJson,
  type UsersPlan,
} from '../../../../lib/seam.ts';
import { bucketColumn } from '../sql/buckets.ts';
import {
  type Question,
  type Labels,
  personLabels,
  groupedQuestion,
  keyColumn,
  metricsOf,
  readColumns,
} from '../sql/groups.ts';
import { personEvents } from '../sql/person-events.ts';
import { identitiesTable, profiles } from '../sql/profiles.ts';
import { EventRows, namesOf, ProfileRows } from '../sql/rows.ts';
import {
  NOTHING,
  text,
  sql,
  type Sql,
  whole,
  type Tenant,
  arrayCell,
  textOrNull,
  join,
  numberCell,
  textCell,
  type Cells,
} from '../sql/statement.ts';
import { windowEnd } from '../sql/windows.ts';
import type { ColumnSql } from '../sql/metrics.ts';
import { listedColumns } from '../sql/listed.ts';

/** Rows of labels and a time. */
const readPeople =
  (labels: Labels): Question['readRows'] =>
  (found) =>
    found.map(([label, time]) => [...labels.read(label), Number(time)]);

/** `stickiness`: persons by the number of days in the range on which they did the event. */
export function stickinessQuestion(project: Tenant, plan: StickinessPlan): Question {
  const rows = new EventRows(project, plan, { ...plan, events: namesOf([plan.event]) });
  const day = bucketColumn(plan, 'day', rows.time).index;
  if (plan.people !== undefined) {
    const labels = personLabels(plan, rows);
    const people = personEvents(rows, { day, labels: labels.sql });
    return {
      sql: sql`SELECT any(labels), max(time) FROM ${people} GROUP BY person HAVING uniqExact(day) = ${whole(plan.people.nth)}`,
      readRows: readPeople(labels),
    };
  }
  const events = personEvents(rows, { day });
  return {
    sql: sql`
SELECT days, count() AS users
FROM (SELECT person, uniqExact(day) AS days FROM ${events} GROUP BY person)
GROUP BY days`,
    readRows: (found) => {
      const all = found.reduce((sum, [, users]) => sum + Number(users), 0);
      return found.map(([days, users]) => [Number(days), Number(users), Number(users) / all]);
    },
  };
}

/**
 * `lifecycle`: who is new, returning, resurrected or dormant in each bucket. A person's buckets are numbered: 0 is all time
 * before the bucket before the range, 1 that bucket, 2 and on are those of the range.
 */

/** Buckets before those of the range. */
const BEFORE = 2;
/** In the order of columns. */
const [NEW, RETURNING, RESURRECTED, DORMANT] = [0, 1, 2, 3];

export function lifecycleQuestion(project: Tenant, plan: LifecyclePlan): Question {
  if (plan.people !== undefined) return statePeople(project, plan, plan.people);
  const { starts, labels } = bucketsOf(plan.range, plan.unit, zoneOf(plan));
  const { to } = plan.range;
  const before = bucketStart(zoneOf(plan), plan.unit, (starts[0] ?? to) - 1); // an empty range has no bucket
  const shown = { ...plan, range: shownRange(plan) };
  const rows = new EventRows(project, shown, {
    ...plan,
    range: { from: -Infinity, to },
    events: namesOf([plan.event]),
  });
  const { index } = bucketColumn({ ...plan, range: { from: before, to } }, plan.unit, rows.time);
  const events = personEvents(rows, { bucket: sql`if(time < ${whole(before)}, 0, 1 + ${index})` });
  const last = whole(labels.length + BEFORE - 1);
  return {
    sql: sql`
SELECT state.1 AS bucket, state.2 AS kind, count() AS users
FROM (
  SELECT arraySort(groupUniqArray(toInt64(bucket))) AS own,
    arrayMap((b, nth) -> (b, multiIf(nth = 1, ${whole(NEW)}, own[nth - 1] = b - 1, ${whole(RETURNING)}, ${whole(RESURRECTED)})), own, arrayEnumerate(own)) AS active,
    arrayMap(b -> (b + 1, ${whole(DORMANT)}), arrayFilter(b -> b < ${last} AND NOT has(own, b + 1), own)) AS dormant
  FROM ${events} GROUP BY person)
ARRAY JOIN arrayConcat(active, dormant) AS state
WHERE bucket >= ${whole(BEFORE)}
GROUP BY bucket, kind`,
    readRows: (found) => {
      const counts = labels.map(() => [0, 0, 0, 0]);
      for (const [bucket, kind, users] of found) counts[Number(bucket) - BEFORE]![Number(kind)] = Number(users);
      return labels.map((label, bucket) => [label, ...counts[bucket]!]);
    },
  };
}

/** Whoever is in a state in the last whole bucket: what decides is the first event in it and the last before. */
function statePeople(project: Tenant, plan: LifecyclePlan, { which }: People): Question {
  const bucket = lastWholeBucket(plan);
  if (bucket === null) throw new Error('people of a lifecycle without a whole bucket');
  const { from, to, before } = bucket;
  const shown = { ...plan, range: shownRange(plan) };
  const selection = { ...plan, range: { from: -Infinity, to }, events: namesOf([plan.event]) };
  const rows = new EventRows(project, shown, selection);
  const labels = personLabels(plan, rows);
  const events = personEvents(rows, { labels: labels.sql });
  const state = sql`multiIf(NOT in_bucket, if(was_active, 'dormant', ''), NOT ever, 'new', was_active, 'returning', 'resurrected')`;
  return {
    sql: sql`
SELECT label, if(in_bucket, first_in, last_before)
FROM (
  SELECT any(labels) AS label, minIf(time, time >= ${whole(from)}) AS first_in, maxIf(time, time < ${whole(from)}) AS last_before,
    max(time >= ${whole(from)}) AS in_bucket, max(time < ${whole(from)}) AS ever, max(time >= ${whole(before)} AND time < ${whole(from)}) AS was_active
  FROM ${events} GROUP BY person)
WHERE ${state} = ${text(which)}`,
    readRows: readPeople(labels),
  };
}

/** `paths`: what persons do after the first such event, or before the last. */
export function pathsQuestion(project: Tenant, plan: PathsPlan): Question {
  const isFrom = plan.direction === 'from';
  const moment = sql`(time, arrival)`;
  const anchors = personEvents(new EventRows(project, plan, { ...plan, events: namesOf([plan.event]) }), { moment });
  const rows = new EventRows(project, plan, { ...plan, events: null });
  const label = rows.value(plan.label).text;
  const people = plan.people === undefined ? null : personLabels(plan, rows);
  const events = personEvents(rows, { moment, label, ...(people === null ? {} : { labels: people.sql }) });
  const end = windowEnd(sql`anchor.1`, isFrom ? 1 : -1, { ...plan, zone: zoneOf(plan) });
  const within = isFrom ? sql`moment >= anchor AND time <= ${end}` : sql`moment <= anchor AND time >= ${end}`;
  const pathsWith = (told: Sql): Sql => sql`
  SELECT arrayMap(node -> node.3, ${nodes(plan)}) AS path${told}
  FROM ${events} AS event
  INNER JOIN (SELECT person, ${isFrom ? sql`min` : sql`max`}(moment) AS anchor FROM ${anchors} GROUP BY person) AS anchors
    ON anchors.person = event.person
  WHERE ${within}
  GROUP BY event.person`;
  if (people !== null) {
    return {
      sql: sql`SELECT who, path, begun.1 FROM (${pathsWith(sql`, any(labels) AS who, any(anchor) AS begun`)})`,
      readRows: (found) =>
        found.map(([who, path, time]) => [...people.read(who), arrayCell(path).map(textOrNull), Number(time)]),
    };
  }
  return {
    sql: sql`SELECT path, count() AS users FROM (${pathsWith(NOTHING)}) GROUP BY path`,
    readRows: (found) => {
      const all = found.reduce((sum, [, users]) => sum + Number(users), 0);
      return found.map(([path, users]) => [arrayCell(path).map(textOrNull), Number(users), Number(users) / all]);
    },
  };
}

/** In order of time, of which those before an event are found nearest first. */
function nodes({ direction, depth }: PathsPlan): Sql {
  return direction === 'from'
    ? sql`groupArraySorted(${whole(depth)})((time, toInt64(arrival), label))`
    : sql`arrayReverse(groupArraySorted(${whole(depth)})((-time, -toInt64(arrival), label)))`;
}

export function usersQuestion(project: Tenant, plan: UsersPlan): Question {
  const rows = new ProfileRows(project, plan);
  if (!isRowList(plan)) return groupedQuestion(rows, plan, metricsOf(plan.metrics, rows));
  if (plan.fields !== undefined) {
    const chosen = listedColumns(plan, plan.fields, rows);
    const order = sql`ORDER BY ${rows.value(account('last_seen')).group.key} DESC, ${rows.value(account('user_id')).group.key}`;
    return { sql: sql`SELECT ${selected(chosen)} ${rows.from()} ${order}`, readRows: readColumns(chosen) };
  }
  const text = (name: ProfileField): ColumnSql => keyColumn(rows.value(account(name)).group, rows.zone);
  const time = (name: ProfileField): ColumnSql => ({
    columns: [rows.value(account(name)).group.key],
    read: ([cell]) => numberCell(cell),
  });
  const columns = [
    ...[text('user_id'), text('email'), text('email_domain')],
    ...[time('first_seen'), time('last_seen')],
    { columns: [rows.properties], read: propertiesWithoutMail },
  ];
  return {
    sql: sql`SELECT ${selected(columns)} ${rows.from()}`,
    readRows: readColumns(columns),
  };
}

const selected = (columns: readonly ColumnSql[]): Sql => join(columns.flatMap((column) => column.columns), ', '); // prettier-ignore

const account = (name: ProfileField): Field => ({ kind: 'account', name });

/** Columns of their own. */
const MAIL: readonly string[] = ['email', 'email_domain'];

function propertiesWithoutMail([json]: Cells): Cell {
  const parsed: unknown = json === '' ? {} : readJson(textCell(json));
  const all = typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : [];
  return Object.fromEntries(all.filter(([key]) => !MAIL.includes(key)));
}

/** A page of an export. */
export function identitiesQuestion(project: Tenant, plan: IdentitiesPlan): Question {
  const page = (id: Sql): Sql => sql`${id} > ${text(plan.after)} ORDER BY ${id} LIMIT ${whole(plan.page.limit)}`;
  if (plan.of === 'bindings') {
    return {
      sql: sql`SELECT * FROM (SELECT device_id, argMax(user_id, (received, arrival)) AS bound_user, max(received) AS bound_at FROM ${identitiesTable} WHERE project = ${text(project.id)} AND device_id != '' GROUP BY device_id) WHERE bound_user NOT IN ('', device_id) AND ${page(sql`device_id`)}`,
      readRows: (found) => found.map(([device, user, at]) => [textCell(device), textCell(user), numberCell(at)]),
    };
  }
  const { from, to } = plan.range;
  return {
    sql: sql`SELECT profile_user, assumeNotNull(profile_first), assumeNotNull(profile_last), profile_all FROM ${profiles(project.id, { paths: [], seen: true, whole: true })} WHERE profile_last >= ${whole(from)} AND profile_last < ${whole(to)} AND ${page(sql`profile_user`)}`,
    readRows: (found) =>
      found.map(([user, first, last, json]) => {
        const properties: unknown = json === '' ? {} : readJson(textCell(json));
        return [textCell(user), numberCell(first), numberCell(last), isRecord(properties) ? properties : {}];
      }),
  };
}
