/** Who the people of a project are: devices bound to users, and profiles, as of the newest request. */
import { EVENTS, IDENTITIES, type EventColumn, type IdentityColumn } from '../schema.ts';
import { jsonAt } from './properties.ts';
import { join, name, NOTHING, sql, text, type Sql } from './statement.ts';

export const eventsTable = name(EVENTS.name);
export const identitiesTable = name(IDENTITIES.name);

/** A column of a table, by its name there. */
export const column = (of: EventColumn | IdentityColumn): Sql => name(of);

/**
 * The devices that are bound now: `bound_device`, and `bound_person`, as column `sender` of events has them, and `bound_user`. Of a
 * binding that was undone these are 0 and ''.
 */
export function bindings(project: string): Sql {
  const newest = sql`SELECT device_id, argMax(user_id, (received, arrival)) AS bound_user FROM ${identitiesTable} WHERE project = ${text(project)} AND device_id != '' GROUP BY device_id`;
  return sql`(SELECT sipHash64(device_id) AS bound_device, bound_user, if(bound_user = '', 0, sipHash64(bound_user)) AS bound_person FROM (${newest}))`;
}

/** What a query reads of profiles. */
export interface ProfileUse {
  /** Columns `profile_0`, `profile_1`, …: the JSON text at each path, '' where there is none. */
  readonly paths: readonly string[];
  /** Columns `profile_first` and `profile_last`: the times of the user's events and identifies. */
  readonly seen: boolean;
  /** Column `profile_all`: the properties, an object as JSON text. */
  readonly whole: boolean;
}

/** The column of a path. */
export const pathColumn = (nth: number): Sql => name(`profile_${nth}`);

/** A row per user: `profile_user`, and what is asked for. */
export function profiles(project: string, { paths, seen, whole }: ProfileUse): Sql {
  const of = sql`FROM ${identitiesTable} WHERE project = ${text(project)} AND device_id = ''`;
  const newest = sql`SELECT user_id, argMax(profile, arrival) AS properties${seen ? sql`, min(first_seen) AS first, max(last_seen) AS last` : NOTHING} ${of} GROUP BY user_id`;
  const picked = [
    sql`user_id AS profile_user`,
    ...paths.map((path, nth) => sql`${jsonAt(sql`properties`, path)} AS ${pathColumn(nth)}`),
    ...(seen ? [sql`first AS profile_first`, sql`last AS profile_last`] : []),
    ...(whole ? [sql`properties AS profile_all`] : []),
  ];
  const rows = seen
    ? sql`SELECT user_id, max(properties) AS properties, min(first) AS first, max(last) AS last FROM (${newest} UNION ALL ${seenInEvents(project)}) GROUP BY user_id`
    : newest;
  return sql`(SELECT ${join(picked, ', ')} FROM (${rows}))`;
}

/** Whoever sent an event as a user has a profile, if only of its times. */
function seenInEvents(project: string): Sql {
  return sql`SELECT user_id, '' AS properties, toNullable(min(time)) AS first, toNullable(max(time)) AS last FROM ${eventsTable} WHERE project = ${text(project)} AND user_id != '' GROUP BY user_id`;
}
