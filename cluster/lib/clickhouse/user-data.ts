/** All that a project has of one user: to hand it out, and to erase it. */
import { createHash } from 'node:crypto';
import { ENRICHED_FIELDS, type Erased, heldBindings, isoTime, readJson } from '../../../lib/seam.ts';
import { type ClickHouse, type Statement, removeRows } from './client.ts';
import { EVENTS, HOT_KEYS, IDENTITIES, NULLABLE_FIELDS } from './schema.ts';
import { storedProperties } from './sql/properties.ts';
import { filledOrNull } from './sql/statement.ts';

/** Milliseconds. */
const TIME = 60_000;

/** Devices that are bound to the user, in order of their names. */
export async function devicesOf(clickHouse: ClickHouse, project: string, userId: string): Promise<readonly string[]> {
  const sql = `SELECT device_id FROM identities WHERE project = {project:String} AND device_id != ''
    GROUP BY device_id HAVING argMax(user_id, (received, arrival)) = {user:String} ORDER BY device_id`;
  const { rows } = await clickHouse.query({ sql, params: { project, user: userId } }, { time: TIME });
  return rows.map(([device]) => String(device));
}

/** The profile, the devices, then the events in order, each as an object for a line; none for a user who is not known. */
export async function* exportLines(clickHouse: ClickHouse, project: string, userId: string): AsyncGenerator<object> {
  const devices = await devicesOf(clickHouse, project, userId);
  const params = { project, user: userId, devices };
  const sql = `SELECT argMaxIf(profile, arrival, profile != ''), min(first_seen), max(last_seen) FROM identities
    WHERE project = {project:String} AND user_id = {user:String} AND device_id = '' HAVING count() > 0`;
  const seen = `SELECT min(time), max(time), count() FROM events WHERE project = {project:String} AND user_id = {user:String}`; // prettier-ignore
  const [{ rows: [profile] }, { rows: [own = []] }] = await Promise.all([clickHouse.query({ sql, params }, { time: TIME }), clickHouse.query({ sql: seen, params }, { time: TIME })]); // prettier-ignore
  const [first, last, count] = own.map(Number);
  if (profile !== undefined || (count ?? 0) > 0) {
    const [properties, ...times] = profile ?? ['{}', null, null];
    const known = [...times.filter((time) => time !== null).map(Number), ...(count === 0 ? [] : [first ?? 0, last ?? 0])]; // prettier-ignore
    yield {
      ...{
        type: 'profile',
        user_id: userId,
        first_seen: isoTime(Math.min(...known)),
        last_seen: isoTime(Math.max(...known)),
      },
      properties: readJson(String(properties)) as unknown,
    };
  }
  for (const device of devices) yield { type: 'device', device_id: device, user_id: userId };
  const columns = EVENTS.columns.map(([name]) => name);
  const events = `SELECT ${columns.join(', ')} FROM events WHERE ${OF_USER} ORDER BY time, arrival`;
  for await (const values of clickHouse.stream({ sql: events, params })) yield eventLine(columns, values);
}

const OF_USER = `project = {project:String} AND (user_id = {user:String} OR (user_id = '' AND device_id IN {devices:Array(String)}))`; // prettier-ignore

function eventLine(columns: readonly string[], values: readonly unknown[]): object {
  const row = new Map(columns.map((name, i) => [name, values[i]]));
  const text = (name: string): string | null => filledOrNull(row.get(name));
  const enriched = ENRICHED_FIELDS.map((name) => [name, text(name)] as const);
  const shown = enriched.filter(([name, value]) => value !== null && !NULLABLE_FIELDS.has(name));
  return {
    ...{ type: 'event', time: isoTime(Number(row.get('time'))), event_type: text('event_type') },
    ...{ user_id: text('user_id'), device_id: text('device_id'), session_id: text('session_id') },
    insert_id: text('insert_id') ?? `evt_${Number(row.get('arrival')).toString(16).padStart(16, '0')}`,
    event_properties: storedProperties(row.get('event_text'), row.get('event_types')),
    user_properties: storedProperties(row.get('user_text'), row.get('user_types')),
    ...Object.fromEntries(shown),
  };
}

export interface Erasure {
  readonly userId: string;
  /** Bound to the user. */
  readonly devices: readonly string[];
  /** Events and bindings with arrival numbers from here on stay: another node had the project's turn since. */
  readonly upTo: number;
  /** After a restore: then a profile that came later stays too. */
  readonly isAgain?: boolean;
}

/**
 * Removes all of it, with the profile as it is by then. Nobody may add to the project meanwhile, unless it is too late for that:
 * then what came since stays. Resolves when every server has rewritten what had some of it.
 */
export async function eraseUser(clickHouse: ClickHouse, project: string, erasure: Erasure): Promise<Erased> {
  const { userId, devices, upTo, isAgain = false } = erasure;
  const profileTo = isAgain ? upTo : Number.MAX_SAFE_INTEGER;
  const params = { project, user: userId, devices, upTo, profileTo };
  const [events, profiles] = await Promise.all([
    countOf(clickHouse, { sql: `SELECT count() FROM events WHERE ${OF_USER} AND arrival < {upTo:UInt64}`, params }),
    countOf(clickHouse, {
      sql: "SELECT uniqExact(user_id) FROM identities WHERE project = {project:String} AND user_id = {user:String} AND device_id = '' AND arrival < {profileTo:UInt64}",
      params,
    }),
  ]);
  const own = { sql: 'SELECT count() FROM events WHERE project = {project:String} AND user_id = {user:String} AND arrival < {profileTo:UInt64}', params }; // prettier-ignore
  const known = profiles > 0 || (await countOf(clickHouse, own)) > 0;
  const kept = await keptBindings(clickHouse, project, userId, new Set(devices));
  const user = `${HASH_OF}(user_id) = ${hashed(userId)}`;
  const ofDevices = (ids: readonly string[]): string => `${HASH_OF}(device_id) IN (${ids.map(hashed).join(', ')})`;
  if (events > 0) {
    const anonymous = devices.length === 0 ? '' : ` OR (user_id = '' AND ${ofDevices(devices)})`;
    await removeRows(clickHouse, EVENTS.name, project, `(${user}${anonymous}) AND arrival < ${upTo}`);
  }
  const bound = kept.devices.length === 0 ? '' : ` OR (${ofDevices(kept.devices)} AND binding < ${upTo} AND binding NOT IN (${[0, ...kept.arrivals].join(', ')}))`; // prettier-ignore
  if (known || bound !== '')
    await removeRows(
      clickHouse,
      IDENTITIES.name,
      project,
      `(device_id = '' AND ${user} AND arrival < ${profileTo})${bound}`,
    );
  return { events, profiles: known ? 1 : 0, devices: devices.length };
}

/** Removes a project. As `eraseUser`. */
export async function eraseProject(clickHouse: ClickHouse, project: string): Promise<void> {
  for (const { name } of [EVENTS, IDENTITIES, HOT_KEYS]) await removeRows(clickHouse, name, project, '1');
}

/**
 * Devices with bindings to the user, and the arrivals of what is kept of them: nothing of those that are bound to the user now,
 * else the bindings to others that count.
 */
async function keptBindings(
  clickHouse: ClickHouse,
  project: string,
  userId: string,
  boundNow: ReadonlySet<string>,
): Promise<{ readonly devices: readonly string[]; readonly arrivals: readonly number[] }> {
  const sql = `SELECT device_id, user_id, undo, received, arrival FROM identities
    WHERE project = {project:String} AND device_id IN (
      SELECT device_id FROM identities WHERE project = {project:String} AND user_id = {user:String} AND device_id != '')
    ORDER BY arrival`;
  const { rows } = await clickHouse.query({ sql, params: { project, user: userId } }, { time: TIME });
  const entries = rows.map(([device, user, undo, at, arrival]) => {
    return { device: String(device), user: String(user), undo: undo === 1, at: Number(at), arrival: Number(arrival) };
  });
  const kept = [...Map.groupBy(entries, ({ device }) => device)].flatMap(([device, own]) =>
    boundNow.has(device) ? [] : heldBindings(heldBindings(own).filter(({ user }) => user !== userId)),
  );
  return { devices: [...new Set(entries.map(({ device }) => device))], arrivals: kept.map(({ arrival }) => arrival) };
}

/** ClickHouse keeps the text of mutations, so ids stand in it as hashes. */
const HASH_OF = 'SHA256';
const hashed = (id: string): string => `unhex('${createHash('sha256').update(id).digest('hex')}')`;

async function countOf(clickHouse: ClickHouse, statement: Statement): Promise<number> {
  return Number((await clickHouse.value(statement, { time: TIME })) ?? 0);
}
