/**
 * `npm run bench:ingest`: how fast events are acknowledged, beside one thread's JSON.parse of the same bytes, and with --beside
 * alternating with another build. A row takes some ten seconds.
 */
import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { prepareDataSet, type DataSet } from '../data-set.ts';
import { removeFolder, temporaryFolder } from '../folder.ts';
import { DATASET_DEFAULTS } from '../generate.ts';
import { median } from '../statistics.ts';
import { WindlassServer } from '../windlass/server.ts';
import { ROWS, type Figures, type Row } from './rows.ts';

const USAGE = `npm run bench:ingest -- [options]
  --rows a,b      of ${Object.keys(ROWS).join(', ')} (all)
  --events N      of the data set that batches and streams are cut from (1000000)
  --rounds N      runs of each row (1); medians are told
  --beside DIR    another checkout, built: the two are measured in turns
  --data DIR      where the data set is kept (bench/.cache)
  --node FLAGS    of Node, for the service
  --threads       tell the processor time of the busiest threads
  --profile DIR   write a profile of every thread there`;

const BUSIEST = 8;

interface Build {
  readonly name: string;
  /** The folder with the build. */
  readonly dist: string;
  /** Options of Node. */
  readonly node: readonly string[];
  /** Prints the processor time of threads. */
  readonly threads: boolean;
}

const DIST = fileURLToPath(new URL('../..', import.meta.url));

/** Time to finish the work of a start. Milliseconds. */
const SETTLE_MS = 500;

async function main(): Promise<void> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: { rows: text, events: text, rounds: text, beside: text, data: text, profile: text, node: text, threads: { type: 'boolean' }, help: { type: 'boolean' } },
  }); // prettier-ignore
  if (values.help) return console.log(USAGE);
  const events = Number(values.events ?? 1_000_000);
  const data = prepareDataSet(
    { ...DATASET_DEFAULTS, events, data: values.data ?? 'bench/.cache', reference: undefined },
    (line) => console.error(`bench: ${line}`),
  );
  const profiling = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(values.profile)}`];
  const node = [...(values.node?.split(' ') ?? []), ...profiling];
  const threads = values.threads === true;
  const builds: Build[] = [{ name: 'this', dist: DIST, node, threads }];
  if (values.beside !== undefined)
    builds.unshift({ name: 'beside', dist: resolve(values.beside, 'dist'), node, threads });
  for (const name of values.rows?.split(',') ?? Object.keys(ROWS)) {
    const row = ROWS[name];
    if (row === undefined) throw new Error(`there is no row ${name}\n${USAGE}`);
    const runs = builds.map((): Figures[] => []);
    for (let round = 0; round < Number(values.rounds ?? 1); round++)
      for (const [at, build] of builds.entries()) runs[at]!.push(await once(row, data, build));
    for (const [at, build] of builds.entries()) console.log(`${name}, ${build.name}: ${shown(runs[at]!)}`);
  }
}

/** Measures a row in a fresh data folder. */
async function once(row: Row, data: DataSet, { dist, node, threads }: Build): Promise<Figures> {
  const folder = temporaryFolder();
  const keys = makeProjects(dist, folder, row.projects);
  const server = await WindlassServer.start(folder, 2, { node, wl: join(dist, 'bin/wl.js') });
  try {
    await new Promise((wait) => setTimeout(wait, SETTLE_MS));
    const before = server.cpuSeconds();
    const targets = keys.map((key) => ({ host: server.host, port: server.port, key }));
    const figures = await row.measure(targets, data, server);
    if (threads) console.log(busiest(server));
    return { ...figures, 'CPU s': server.cpuSeconds() - before, MB: server.memory() / 1e6 };
  } finally {
    await server.stop();
    removeFolder(folder);
  }
}

/** Makes projects with the build's own code, as its control database may be older; returns their secret keys. */
function makeProjects(dist: string, folder: string, count: number): readonly string[] {
  const module = pathToFileURL(join(dist, 'bench/tenants/projects.js')).href;
  const program = `import { createProjects } from ${JSON.stringify(module)};
    console.log(JSON.stringify((await createProjects(${JSON.stringify(folder)}, [[${count}, 0]])).map(({ key }) => key)));`;
  const args = ['--input-type=module', '--eval', program];
  const keys: string[] = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  return keys;
}

/** Medians of the runs. */
function shown(runs: readonly Figures[]): string {
  const told = Object.keys(runs[0] ?? {}).map((key) => `${key} ${rounded(median(runs.map((run) => run[key]!)))}`);
  return told.join(', ');
}

/** Seconds of processor time by thread. */
function busiest(server: WindlassServer): string {
  const threads = [...server.threadSeconds()].sort(([, a], [, b]) => b - a).slice(0, BUSIEST);
  return threads.map(([name, seconds]) => `${name} ${seconds.toFixed(2)} s`).join(', ');
}

const rounded = (value: number): string => value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 3);

await main();
