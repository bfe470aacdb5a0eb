/** What a project has, for hints and limits: names, number and times of events. */
import type { Catalog, Extent } from '../../../lib/seam.ts';
import type { ClickHouse } from './client.ts';

const MOST_NAMES = 5_000;
/** Profiles searched for names of properties: the newest, since there may be a million. */
const PROFILES = 5_000;
/** Milliseconds. */
const TIME = 10_000;

export async function readExtent(clickHouse: ClickHouse, project: string): Promise<Extent | null> {
  const [row] = await rowsOf(clickHouse, project, 'SELECT count(), min(time), max(time) FROM events WHERE project = {project:String}'); // prettier-ignore
  const [rows = 0, first = 0, last = 0] = row?.map(Number) ?? [];
  return rows === 0 ? null : { rows, first, last };
}

/** Those of some projects that have anything stored. */
export async function readProjects(clickHouse: ClickHouse, projects: readonly string[]): Promise<readonly string[]> {
  if (projects.length === 0) return [];
  const of = (table: string): string =>
    `SELECT DISTINCT project FROM ${table} WHERE project IN {projects:Array(String)}`;
  const sql = `SELECT DISTINCT project FROM (${of('events')} UNION ALL ${of('identities')})`;
  const { rows } = await clickHouse.query({ sql, params: { projects } }, { time: TIME });
  return rows.map(([project]) => String(project));
}

/** The last arrival number that a project has; 0 if it has none. */
export async function readLastArrival(clickHouse: ClickHouse, project: string): Promise<number> {
  const sql = `SELECT max(last) FROM (
    SELECT max(arrival) AS last FROM events WHERE project = {project:String}
    UNION ALL SELECT max(arrival) AS last FROM identities WHERE project = {project:String})`;
  return Number((await clickHouse.value({ sql, params: { project } }, { time: TIME })) ?? 0);
}

export async function readCatalog(clickHouse: ClickHouse, project: string): Promise<Catalog> {
  const [events, ...keys] = await Promise.all([
    rowsOf(clickHouse, project, `SELECT event_type, count() AS rows FROM events WHERE project = {project:String}
      GROUP BY event_type ORDER BY rows DESC, event_type LIMIT ${MOST_NAMES}`),
    keysOf(clickHouse, project, 'event'),
    keysOf(clickHouse, project, 'user'),
    rowsOf(clickHouse, project, `SELECT DISTINCT arrayJoin(JSONExtractKeys(profile)) AS key FROM (
      SELECT profile FROM identities WHERE project = {project:String} AND device_id = ''
      ORDER BY arrival DESC LIMIT 1 BY user_id LIMIT ${PROFILES}) ORDER BY key LIMIT ${MOST_NAMES}`),
  ]); // prettier-ignore
  const prefixes = ['event_properties.', 'user_properties.', 'user.'];
  return {
    events: events.map(([name, rows]) => ({ name: String(name), rows: Number(rows) })),
    fields: keys.flatMap((rows, i) => rows.map(([key]) => `${prefixes[i]}${String(key)}`)),
  };
}

function keysOf(
  clickHouse: ClickHouse,
  project: string,
  of: 'event' | 'user',
): Promise<readonly (readonly unknown[])[]> {
  const sql = `SELECT DISTINCT arrayJoin(mapKeys(${of}_text)) AS key FROM events WHERE project = {project:String}
    ORDER BY key LIMIT ${MOST_NAMES}`;
  return rowsOf(clickHouse, project, sql);
}

async function rowsOf(clickHouse: ClickHouse, project: string, sql: string): Promise<readonly (readonly unknown[])[]> {
  const { rows } = await clickHouse.query({ sql, params: { project } }, { time: TIME });
  return rows;
}
