/** Starts a ClickHouse for tests, or takes the real one that CLICKHOUSE_URL names. */
import type { Access } from '../../../lib/clickhouse/client.ts';
import { chdbFolder, startChdbProcess, type ChdbProcess } from './chdb-process.ts';
import { accessTo } from './new-database.ts';

const started: ChdbProcess[] = [];

/** A server over a folder, its own process. The folder goes when the tests end. */
export async function startChdb(folder = chdbFolder(), port = 0): Promise<ChdbProcess> {
  const server = await startChdbProcess(folder, port);
  started.push(server);
  return server;
}

after(async () => {
  for (const server of started.splice(0)) await server.remove();
});

let shared: Promise<string> | null = null;

/** The URL of the server that all tests of a process share. */
export function clickHouseServer(): Promise<string> {
  const given = process.env['CLICKHOUSE_URL'];
  return (shared ??= given === undefined ? startChdb().then(({ url }) => url) : Promise.resolve(given));
}

/** A new database with the tables, on that server. */
export async function clickHouseAccess(): Promise<Access> {
  return accessTo(await clickHouseServer());
}
