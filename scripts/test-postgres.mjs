// npm run test:postgres [-- as npm test]: the tests of the control database on PostgreSQL, which this starts in a temporary folder.
// With POSTGRES_URL (postgres://user:password@host:5432/database), they run against that server, each test in a schema of its own.
// Tests of several nodes need a ClickHouse too, as `npm run test:cluster` does.
import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './steps.mjs';
import { testCommand } from './test-command.mjs';
import { postgresTests } from './test-files.mjs';

build();
if (process.env.CLICKHOUSE_URL === undefined) {
  const { installPeers } = await import('../dist/bench/install-peers.js');
  installPeers();
}
const server = process.env.POSTGRES_URL === undefined ? await start() : null;
try {
  process.env.POSTGRES_URL ??= server.url;
  process.exitCode = await testCommand(postgresTests());
} finally {
  server?.stop();
}

/** PostgreSQL refuses to run as root: then it runs as the account that its package makes. */
async function start() {
  const programs = globSync('/usr/lib/postgresql/*/bin').sort().at(-1);
  if (programs === undefined || !existsSync(join(programs, 'initdb')))
    throw new Error(
      'PostgreSQL is missing: install Debian’s postgresql (15 or newer), or set POSTGRES_URL to a server',
    );
  const folder = mkdtempSync(join(tmpdir(), 'windlass-postgres-'));
  const account = process.getuid() === 0 ? accountOf('postgres') : {};
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid);
  const run = (name, ...args) => {
    const { status, stderr, error } = spawnSync(join(programs, name), args, {
      ...account,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    if (status !== 0) throw new Error(`${name} failed: ${error?.message ?? stderr}`);
  };
  const port = await freePort();
  const data = join(folder, 'data');
  run('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync');
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off -c max_connections=300`;
  run('pg_ctl', '-D', data, '-w', '-l', join(folder, 'log'), '-o', settings, 'start');
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: () => {
      run('pg_ctl', '-D', data, '-w', '-m', 'immediate', 'stop');
      rmSync(folder, { recursive: true });
    },
  };
}

function accountOf(name) {
  const id = (flag) => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
