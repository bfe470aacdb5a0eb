/** Everything that ClickHouse has of a project, as test/properties/stored-facts.ts has it of a shard. */
import type { ClickHouse } from '../../../lib/clickhouse/client.ts';
import { EVENTS } from '../../../lib/clickhouse/schema.ts';
import type { Fact } from '../../../../test/properties/stored-facts.ts';
import { readJson } from '../../../../lib/base/text/read-json.ts';

export async function eventsInClickHouse(clickHouse: ClickHouse, project: string): Promise<Fact[]> {
  const columns = EVENTS.columns.map(([name]) => name);
  const sql = `SELECT ${columns.join(', ')} FROM events WHERE project = {project:String} ORDER BY time, arrival`;
  const { rows } = await clickHouse.query({ sql, params: { project } });
  const users = await boundUsers(clickHouse, project);
  return rows.map((values) => {
    const row = Object.fromEntries(columns.map((name, i) => [name, values[i]]));
    const { project: _project, arrival: _arrival, received: _received, time, insert_id, ...others } = row;
    const [user, device] = [String(row['user_id']), String(row['device_id'])];
    const fields = Object.entries(others).flatMap(([name, value]): [string, unknown][] => {
      if (['_url', '_title', '_referrer'].includes(name)) return [];
      const map = /^(event|user)_(text|number|types)$/.exec(name);
      if (map === null) return value === '' ? [] : [[name, value]];
      if (map[2] !== 'text') return [];
      const types = new Map(Object.entries(row[`${map[1]}_types`] as object));
      return Object.entries(value as object).map(([key, text]: [string, unknown]) => {
        return [`${map[1] === 'event' ? 'p' : 'u'}:${key}`, types.has(key) ? readJson(String(text)) : text];
      });
    });
    return {
      time,
      person: user !== '' ? user : device === '' ? null : (users.get(device) ?? device),
      insertId: insert_id === '' ? 'evt_' : insert_id,
      fields: Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1))),
    };
  });
}

export async function profilesInClickHouse(clickHouse: ClickHouse, project: string): Promise<Map<string, unknown>> {
  const sql = `SELECT user_id, argMax(profile, arrival) FROM identities WHERE project = {project:String} AND device_id = '' GROUP BY user_id`; // prettier-ignore
  const { rows } = await clickHouse.query({ sql, params: { project } });
  return new Map(rows.map(([user, profile]) => [String(user), readJson(String(profile))]));
}

async function boundUsers(clickHouse: ClickHouse, project: string): Promise<ReadonlyMap<string, string>> {
  const sql = `SELECT device_id, argMax(user_id, arrival) AS user FROM identities WHERE project = {project:String} AND device_id != '' GROUP BY device_id HAVING user != ''`; // prettier-ignore
  const { rows } = await clickHouse.query({ sql, params: { project } });
  return new Map(rows.map(([device, user]) => [String(device), String(user)]));
}

/** Properties whose columns have other values than the maps, and whether some events came without columns: none should. */
export async function hotFaults(clickHouse: ClickHouse, project: string): Promise<readonly string[]> {
  const params = { project };
  const one = async (sql: string, more: Record<string, string> = {}): Promise<number> =>
    Number((await clickHouse.query({ sql, params: { ...params, ...more } })).rows[0]?.[0]);
  const where = 'FROM events WHERE project = {project:String}';
  const faults = (await one(`SELECT count() ${where} AND NOT is_hot`)) > 0 ? ['events without columns'] : [];
  const sql = 'SELECT DISTINCT kind, key, slot FROM hot_keys WHERE project = {project:String} AND slot IS NOT NULL';
  for (const [kind, key, slot] of (await clickHouse.query({ sql, params })).rows) {
    const map = kind === 'number' ? 'event_number' : 'event_text';
    const isThere = `has(mapKeys(${map}), {key:String})${kind === 'text' ? " AND event_types[{key:String}] != 'number'" : ''}`;
    const value = `if(${isThere}, toString(${map}[{key:String}]), NULL)`;
    const differ = `ifNull(toString(hot_${String(kind)}_${String(slot)}), '∅') != ifNull(${value}, '∅')`;
    if ((await one(`SELECT count() ${where} AND ${differ}`, { key: String(key) })) > 0)
      faults.push(`${String(kind)} ${String(key)}`);
  }
  return faults;
}
