/**
 * `npm run bench:tenants`: many small projects on one service, each with one query of its own and then another, and what others
 * notice of a project that sends as many queries as it can. Times are multiples of what a bare `node:http` server that hands the
 * body to one thread takes, alternating with the service. With `--projects`, thousands of projects instead, and what matters to
 * the host of so many (many.ts).
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { removeFolder, temporaryFolder } from '../folder.ts';
import { median, quantile } from '../statistics.ts';
import { WindlassServer } from '../windlass/server.ts';
import { settled } from '../windlass/settled.ts';
import { Asker } from './asker.ts';
import { BareServer } from './bare.ts';
import { measureMany } from './many.ts';
import { measureNeighbours, type Noticed } from './neighbours.ts';
import { createProjects, loadProjects, type Sizes, type TenantProject } from './projects.ts';
import { Shapes } from './shapes.ts';

const USAGE = `npm run bench:tenants -- [options]
  --sizes N:E,…   N projects of E events each (200:1000,80:10000,18:100000,2:1000000)
  --threads N     query threads (2)      --seed N   of questions and their order (1)
  --data DIR      where data is kept (bench/.cache)
  --projects N    thousands of projects instead: start, stop, memory, backup
    --events A:B    of each, by a power law (1000:100000)
    --seconds N     of steady load, 2,000 events and 5 questions a second (60)`;

const log = (line: string): void => console.error(`bench: ${line}`);

async function main(): Promise<void> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: {
      sizes: text,
      threads: text,
      seed: text,
      data: text,
      projects: text,
      events: text,
      seconds: text,
      help: { type: 'boolean' },
    },
  });
  if (values.help) return console.log(USAGE);
  const sizes: Sizes = (values.sizes ?? '200:1000,80:10000,18:100000,2:1000000').split(',').map((pair) => {
    const [count = NaN, events = NaN] = pair.split(':').map(Number);
    return [count, events];
  });
  const threads = Number(values.threads ?? 2);
  const seed = Number(values.seed ?? 1);
  const data = values.data ?? 'bench/.cache';
  const folder = temporaryFolder();
  try {
    if (values.projects !== undefined) {
      const [least = NaN, most = NaN] = (values.events ?? '1000:100000').split(':').map(Number);
      const seconds = Number(values.seconds ?? 60);
      const count = Number(values.projects);
      return console.log(await measureMany(folder, { count, least, most, seconds, threads, seed, data }, log));
    }
    const projects = await createProjects(folder, sizes);
    log(`loading ${projects.length} projects`);
    await load(folder, projects, { threads, data });
    await ask(folder, projects, { threads, seed });
  } finally {
    removeFolder(folder);
  }
}

async function load(
  folder: string,
  projects: readonly TenantProject[],
  { threads, data }: { readonly threads: number; readonly data: string },
): Promise<void> {
  const server = await WindlassServer.start(folder, threads);
  await loadProjects(server, projects, data, log);
  const asker = await Asker.open(server.port);
  for (const { key } of projects) await asker.query(key, '* | all | count'); // seals what waits: a stop may leave it in the journal
  asker.close();
  await settled(server);
  await server.stop();
}

async function ask(
  folder: string,
  projects: readonly TenantProject[],
  { threads, seed }: { readonly threads: number; readonly seed: number },
): Promise<void> {
  const bare = await BareServer.start();
  const node = timeOf(() => spawnSync(process.execPath, ['-e', '0']));
  const begun = performance.now();
  const server = await WindlassServer.start(folder, threads);
  const ready = performance.now() - begun;
  const empty = server.memory();
  const shapes = new Shapes(seed);
  const order = shuffled(projects, shapes);
  const rounds: Asked[][] = [];
  for (const round of [1, 2]) {
    log(`round ${round}`);
    rounds.push(await askAll(server.port, order, shapes, bare));
  }
  const memory = server.memory();
  log('neighbours');
  const largest = Math.max(...projects.map(({ events }) => events));
  const attacker = projects.find(({ events }) => events === largest)!;
  const others = {
    small: projects.filter(({ events }) => events <= 10_000).slice(0, 20),
    large: projects.filter((project) => project.events > 10_000 && project !== attacker).slice(-5),
  };
  const noticed = await measureNeighbours(server.port, attacker, others);
  await server.stop();
  bare.stop();
  const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MB`;
  console.log(tableOf(rounds));
  console.log(`\n${tableOfNoticed(noticed)}\n`);
  console.log(`Ready after ${ready.toFixed(0)} ms, ${(ready / node).toFixed(1)} times \`node -e 0\`.`);
  console.log(
    `Resident: ${mebibytes(empty)} before the first question, ${mebibytes(memory)} after ${projects.length} projects.`,
  );
}

interface Asked {
  readonly events: number;
  readonly ms: number;
  /** Of the bare server, hot, just before. */
  readonly bare: number;
}

async function askAll(
  port: number,
  projects: readonly TenantProject[],
  shapes: Shapes,
  bare: BareServer,
): Promise<Asked[]> {
  const asker = await Asker.open(port);
  const asked: Asked[] = [];
  for (const { key, events } of projects) {
    const q = shapes.next();
    const unit = await bare.ask(q);
    asked.push({ events, bare: unit, ms: await asker.query(key, q) });
  }
  asker.close();
  return asked;
}

function tableOf(rounds: readonly (readonly Asked[])[]): string {
  const classes = [
    ['up to 10,000', (events: number) => events <= 10_000],
    ['100,000', (events: number) => events > 10_000 && events <= 100_000],
    ['more', (events: number) => events > 100_000],
  ] as const;
  const lines = rounds.flatMap((asked, nth) => {
    const unit = median(asked.map(({ bare }) => bare));
    return classes.flatMap(([name, isIn]) => {
      const times = asked.filter(({ events }) => isIn(events)).map(({ ms }) => ms);
      if (times.length === 0) return [];
      const [p50, p99] = [median(times), quantile(times, 0.99)];
      const cells = [
        `${p50.toFixed(1)} ms`,
        `${(p50 / unit).toFixed(1)} b`,
        `${p99.toFixed(1)} ms`,
        `${(p99 / unit).toFixed(1)} b`,
      ];
      return [`| ${nth + 1} | ${name} | ${times.length} | ${unit.toFixed(2)} ms | ${cells.join(' | ')} |`];
    });
  });
  return [
    '| round | events | projects | b | p50 | | p99 | |',
    '| --: | --- | --: | --: | --: | --: | --: | --: |',
    ...lines,
  ].join('\n');
}

function tableOfNoticed(noticed: readonly Noticed[]): string {
  const lines = noticed.map(({ what, share, alone, beside }) => {
    const times = (of: { p50: number; high: number }): string => `${of.p50.toFixed(1)} / ${of.high.toFixed(1)}`;
    const ratio = `${(beside.p50 / alone.p50).toFixed(1)} / ${(beside.high / alone.high).toFixed(1)}`;
    return `| ${what} | ${share * 100} | ${times(alone)} | ${times(beside)} | ${ratio} |`;
  });
  return [
    '| others’ | p50 and p… | alone, ms | beside, ms | times |',
    '| --- | --: | --: | --: | --: |',
    ...lines,
  ].join('\n');
}

function shuffled<T>(values: readonly T[], random: Shapes): T[] {
  const all = [...values];
  for (let at = all.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    [all[at], all[other]] = [all[other]!, all[at]!];
  }
  return all;
}

function timeOf(run: () => void): number {
  const begun = performance.now();
  run();
  return performance.now() - begun;
}

await main();
