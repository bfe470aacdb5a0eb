/** The peers are no dependencies of the service: they are installed when the bench is first run. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

export function installPeers(): void {
  if (existsSync('bench/node_modules')) return;
  console.error('bench: installing DuckDB and chDB into bench/node_modules');
  execFileSync('npm', ['ci', '--prefix', 'bench'], { stdio: ['ignore', 2, 2] });
}
