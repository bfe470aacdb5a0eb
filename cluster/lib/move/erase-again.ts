/** Repeats in a restored ClickHouse what was erased since its backup: users by the logs of erasures, and deleted projects. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import {
  type ClickHouseLocation,
  type ControlDatabase,
  type ErasedUser,
  ERASURE_LOG,
  readLog,
} from '../../../lib/seam.ts';
import { ClickHouse } from '../clickhouse/client.ts';
import { checkSchema } from '../clickhouse/migrate.ts';
import { readProjects } from '../clickhouse/names.ts';
import { devicesOf, eraseProject, eraseUser } from '../clickhouse/user-data.ts';

/** Projects asked about with one statement. */
const AT_ONCE = 500;

export interface ErasedAgain {
  /** Ids of deleted projects that were there. */
  readonly projects: readonly string[];
  /** Users of whom there was something, and their events. */
  readonly users: number;
  readonly events: number;
}

/** `data`: a data folder, whose log counts too. No node may be running. Can be repeated. Rejects with AppError and ConfigError. */
export async function eraseAgain(
  control: ControlDatabase,
  { store, data }: { readonly store: ClickHouseLocation; readonly data: string },
): Promise<ErasedAgain> {
  await checkSchema(store);
  await using clickHouse = new ClickHouse(store);
  const deleted = await control.projects.deleted();
  const projects: string[] = [];
  for (let from = 0; from < deleted.length; from += AT_ONCE)
    projects.push(...(await readProjects(clickHouse, deleted.slice(from, from + AT_ONCE))));
  for (const project of projects) await eraseProject(clickHouse, project);
  let [users, events] = [0, 0];
  const gone = new Set(deleted);
  for (const [project, listed] of await listedBy(control, data)) {
    if (gone.has(project)) continue;
    const wanted = new Set(listed.flatMap(({ user, devices }) => [user, ...devices]));
    const ids = await idsOf(clickHouse, project, (id) => {
      const hash = control.hashId(project, id);
      return wanted.has(hash) ? hash : null;
    });
    for (const { user, devices, upTo } of listed) {
      const userId = ids.users.get(user) ?? randomUUID(); // else nobody's
      const atTheTime = devices.flatMap((device) => ids.devices.get(device) ?? []);
      const all = [...new Set([...atTheTime, ...(await devicesOf(clickHouse, project, userId))])];
      const erased = await eraseUser(clickHouse, project, { userId, devices: all, upTo, isAgain: true });
      events += erased.events;
      if (erased.events + erased.profiles > 0) users++;
    }
  }
  return { projects, users, events };
}

/** What nodes have shared, and what a node on its own has logged in its folder. */
async function listedBy(control: ControlDatabase, data: string): Promise<ReadonlyMap<string, readonly ErasedUser[]>> {
  const listed = new Map<string, ErasedUser[]>();
  for (const project of await control.erasedUsers.projects())
    listed.set(project, [...(await control.erasedUsers.ofProject(project))]);
  const { entries } = readLog(join(data, ERASURE_LOG));
  const byHash = new Map(entries.length === 0 ? [] : (await control.projects.list()).map(({ id }) => [control.hashId('', id), id])); // prettier-ignore
  for (const entry of entries) {
    const project = byHash.get(entry.project);
    if (entry.kind === 'user' && project !== undefined) listed.set(project, [...(listed.get(project) ?? []), entry]);
  }
  return listed;
}

interface Ids {
  /** By their hashes. */
  readonly users: ReadonlyMap<string, string>;
  readonly devices: ReadonlyMap<string, string>;
}

/** Reads every id of a project, and keeps those that have a hash. */
async function idsOf(clickHouse: ClickHouse, project: string, hash: (id: string) => string | null): Promise<Ids> {
  const read = async (column: 'user_id' | 'device_id'): Promise<ReadonlyMap<string, string>> => {
    const of = (table: string): string =>
      `SELECT DISTINCT ${column} FROM ${table} WHERE project = {project:String} AND ${column} != ''`;
    const sql = `SELECT DISTINCT ${column} FROM (${of('events')} UNION ALL ${of('identities')})`;
    const ids = new Map<string, string>();
    for await (const [id] of clickHouse.stream({ sql, params: { project } })) {
      const found = hash(String(id));
      if (found !== null) ids.set(found, String(id));
    }
    return ids;
  };
  return { users: await read('user_id'), devices: await read('device_id') };
}
