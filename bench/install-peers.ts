/** The peers are not dependencies of the service: they are installed when the bench first runs. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const PEERS = ['bench/node_modules/@duckdb/node-api', 'bench/node_modules/chdb'];

export function installPeers(): void {
  if (PEERS.every((folder) => existsSync(folder))) return;
  console.error('bench: installing DuckDB and chDB into bench/node_modules');
  // Not `npm ci`: it refuses a lock file that lacks binaries of platforms, if its author's registry did not have them.
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', 'bench'];
  execFileSync('npm', args, { stdio: ['ignore', 2, 2] });
}
