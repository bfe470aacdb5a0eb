/** Startup time of `wl`, beside Node alone. `npm run build && node dist/bench/micro/start.js [runs]`; on an idle machine. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { median } from '../statistics.ts';

const WL = fileURLToPath(new URL('../../bin/wl.js', import.meta.url));
const DEFAULT_RUNS = 25;
const LINES: readonly (readonly string[])[] = [
  ['-e', '0'],
  [WL, 'version'],
  [WL, '--help'],
  [WL, 'serve', '--help'],
];

const runs = Number(process.argv[2] ?? DEFAULT_RUNS);
const times = LINES.map((): number[] => []);
// Alternate, so that other load on the machine affects all of them.
for (let run = 0; run < runs; run += 1) LINES.forEach((line, i) => times[i]?.push(timeOf(line)));

const medians = times.map(median);
LINES.forEach((line, i) => {
  const name = line.map((word) => (word === WL ? 'wl' : word)).join(' ');
  const [own = Number.NaN, node = Number.NaN] = [medians[i], medians[0]];
  console.log(
    `${name.padEnd(16)} ${own.toFixed(1).padStart(8)} ms ${(own / node).toFixed(2).padStart(6)} times node -e 0`,
  );
});

function timeOf(line: readonly string[]): number {
  const start = performance.now();
  const { status } = spawnSync(process.execPath, line, { stdio: 'ignore' });
  if (status !== 0) throw new Error(`${line.join(' ')}: exit ${status}`);
  return performance.now() - start;
}
