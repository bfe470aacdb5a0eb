/** Starts a ClickHouse for tests, or takes the real one that CLICKHOUSE_URL names. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import { ClickHouse, type Access } from '../../../lib/clickhouse/client.ts';
import { createStatements } from '../../../lib/clickhouse/schema.ts';

export interface ChdbServer {
  readonly url: string;
  /** kill -9; resolves when the process is gone. */
  kill(): Promise<void>;
}

const started: { readonly child: ChildProcess; readonly folder: string }[] = [];

/** A server over a folder, its own process. The folder goes when the tests end. */
export async function startChdb(folder = chdbFolder(), port = 0): Promise<ChdbServer> {
  const child = fork(path.join(import.meta.dirname, 'server.js'), [folder, String(port)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, UV_THREADPOOL_SIZE: '16' }, // each running statement holds a thread
  });
  started.push({ child, folder });
  const ended = once(child, 'exit').then(() => {
    throw new Error('the engine of ClickHouse ended at once: `npm run test:cluster` installs it');
  });
  const [told] = (await Promise.race([once(child, 'message'), ended])) as [{ port: number }];
  ended.catch(() => undefined); // later it may
  child.channel?.unref();
  child.unref();
  return {
    url: `http://127.0.0.1:${told.port}`,
    kill: async () => {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

export function chdbFolder(): string {
  return mkdtempSync(path.join(tmpdir(), 'windlass-chdb-'));
}

after(async function () {
  this.timeout(60_000); // thousands of small files
  for (const { child, folder } of started.splice(0)) {
    const gone = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null;
    child.kill('SIGKILL'); // else it would write while its files are removed
    await gone;
    await rm(folder, { recursive: true, force: true });
  }
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

/** A new database with the tables on a server. */
export async function accessTo(url: string): Promise<Access> {
  const given = new URL(url);
  const [user, password] = [decodeURIComponent(given.username) || 'default', decodeURIComponent(given.password)];
  const access = {
    url: given.origin,
    user,
    password,
    database: `windlass_${randomUUID().replaceAll('-', '')}`,
    cluster: null,
  };
  const setup = new ClickHouse({ ...access, database: 'default' });
  for (const sql of createStatements({ database: access.database, cluster: null })) await setup.run({ sql });
  await setup.close();
  return access;
}
