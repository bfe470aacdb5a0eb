/** Asks ClickHouse what is stored of the ids, users and devices that requests name. */
import type { ClickHouse } from '../client.ts';
import { ID_WINDOW, MAX_PROFILE_BYTES, MOST_PROFILES, readJson } from '../../../../lib/seam.ts';
import type { BindingEntry, Named, Stored } from './fold.ts';
import { DATED_SINCE_SQL, IDS } from '../schema.ts';
import { nullable } from '../sql/statement.ts';

/** Milliseconds. */
const TIME = 10_000;

/** Users whose profiles are read without a look at their sizes: no more than these have is as much as may be read. */
const UNASKED = MOST_PROFILES / MAX_PROFILE_BYTES;

/**
 * `since`: when the first of the requests arrived. null: the users have more profiles than `MOST_PROFILES`, as JSON, and none was
 * read.
 */
export async function readStored(
  clickHouse: ClickHouse,
  project: string,
  { ids, imported, users, devices }: Named,
  since: number,
): Promise<Stored | null> {
  if (users.size > UNASKED && (await sizeOfProfiles(clickHouse, project, [...users])) > MOST_PROFILES) return null;
  const [ofIds, ofImports, { profiles, datedSince }, ofDevices] = await Promise.all([
    readIds(clickHouse, project, [...ids], since - ID_WINDOW),
    readImported(clickHouse, project, [...imported]),
    readProfiles(clickHouse, project, [...users]),
    Promise.all([...devices].map(async (id) => [id, await readBindings(clickHouse, project, id)] as const)),
  ]);
  return { ids: ofIds, imported: ofImports, profiles, datedSince, bindings: new Map(ofDevices) };
}

async function readIds(
  clickHouse: ClickHouse,
  project: string,
  ids: readonly string[],
  after: number,
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const sql = `SELECT insert_id, max(received) FROM events
    WHERE project = {project:String} AND insert_id IN {ids:Array(String)} AND received > {after:Int64} GROUP BY insert_id`;
  const options = { time: TIME, settings: { preferred_optimize_projection_name: IDS } };
  const { rows } = await clickHouse.query({ sql, params: { project, ids, after } }, options);
  return new Map(rows.map(([id, received]) => [String(id), Number(received)]));
}

/** The index of imports passes over all events but imported ones; of these, the ids are read. */
async function readImported(
  clickHouse: ClickHouse,
  project: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const sql = `SELECT DISTINCT insert_id FROM events
    WHERE project = {project:String} AND _import_id != '' AND insert_id IN {ids:Array(String)}`;
  const { rows } = await clickHouse.query({ sql, params: { project, ids } }, { time: TIME });
  return new Set(rows.map(([id]) => String(id)));
}

async function readProfiles(
  clickHouse: ClickHouse,
  project: string,
  users: readonly string[],
): Promise<Pick<Stored, 'profiles' | 'datedSince'>> {
  if (users.length === 0) return { profiles: new Map(), datedSince: -Infinity };
  const sql = `SELECT user_id, profile, first_seen, last_seen, dates, ${DATED_SINCE_SQL} FROM identities
    WHERE project = {project:String} AND user_id IN {users:Array(String)} AND device_id = ''
    ORDER BY arrival DESC LIMIT 1 BY user_id`;
  const { rows } = await clickHouse.query({ sql, params: { project, users } }, { time: TIME });
  const profiles = rows.map(([user, properties, first, last, dates]) => {
    const times = { firstSeen: nullable(first, Number), lastSeen: nullable(last, Number) };
    return [String(user), { properties: objectOf(properties), ...times, dates: String(dates) }] as const;
  });
  return { profiles: new Map(profiles), datedSince: Number(rows[0]?.[5] ?? -Infinity) };
}

/** Bytes of JSON. */
async function sizeOfProfiles(clickHouse: ClickHouse, project: string, users: readonly string[]): Promise<number> {
  const sql = `SELECT sum(bytes) FROM (
    SELECT argMax(length(profile), arrival) AS bytes FROM identities
    WHERE project = {project:String} AND user_id IN {users:Array(String)} AND device_id = '' GROUP BY user_id)`;
  return Number(await clickHouse.value({ sql, params: { project, users } }, { time: TIME }));
}

/** Oldest first. */
export async function readBindings(clickHouse: ClickHouse, project: string, deviceId: string): Promise<BindingEntry[]> {
  const sql = `SELECT received, user_id, undo FROM identities
    WHERE project = {project:String} AND device_id = {device:String} ORDER BY arrival`;
  const { rows } = await clickHouse.query({ sql, params: { project, device: deviceId } }, { time: TIME });
  return rows.map(([at, user, undo]) => ({ at: Number(at), user: String(user), undo: undo === 1 }));
}

function objectOf(text: unknown): Readonly<Record<string, unknown>> {
  const value: unknown = readJson(String(text));
  if (typeof value !== 'object' || value === null) throw new Error('a stored profile is no object');
  return Object.fromEntries(Object.entries(value));
}
