/** Thousands of projects on one service: how soon it is ready, what it uses, and what its clients notice. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { prepareDataSet } from '../data-set.ts';
import { folderBytes, removeFolder, temporaryFolder } from '../folder.ts';
import { DATASET_DEFAULTS } from '../generate.ts';
import { HttpConnection, postRequest } from '../http-connection.ts';
import { sealJournal } from '../../lib/shards/upkeep/seal-journal.ts';
import { median, quantile } from '../statistics.ts';
import { WindlassServer } from '../windlass/server.ts';
import { Asker } from './asker.ts';
import { BareServer } from './bare.ts';
import { powerLaw } from './power-law.ts';
import { createProjects, type TenantProject } from './projects.ts';
import { Shapes } from './shapes.ts';
import { steadyLoad } from './steady.ts';

const WL = fileURLToPath(new URL('../../bin/wl.js', import.meta.url));
/** What most systems allow a process. */
const DESCRIPTORS = 1_024;
const CONNECTIONS = 16;
/** Projects that get their first query after each start. */
const ASKED = 300;
const EMPTY = 100;
const SEGMENT_ROWS = 262_144;

export interface ManyOptions {
  readonly count: number;
  /** Events of the smallest and the largest project. */
  readonly least: number;
  readonly most: number;
  readonly seconds: number;
  readonly threads: number;
  readonly seed: number;
  readonly data: string;
}

type Row = readonly [what: string, measured: string, wanted: string];

/** Returns the rows as a Markdown table. */
export async function measureMany(
  folder: string,
  { count, least, most, seconds, threads, seed, data }: ManyOptions,
  log: (line: string) => void,
): Promise<string> {
  const rows: Row[] = [];
  const tell = (...row: Row): void => {
    log(row.join(' · '));
    rows.push(row);
  };
  const start = (): Promise<WindlassServer> => WindlassServer.start(folder, threads, { descriptors: DESCRIPTORS });
  const bare = await BareServer.start();
  const target = temporaryFolder();
  const shapes = new Shapes(seed);

  log(`making ${count} projects`);
  const sizes = powerLaw(count, least, most);
  const projects = await createProjects(folder, sizes.map((events) => [1, events] as const)); // prettier-ignore
  let begun = performance.now();
  let server = await start();
  tell('ready, of no events', inSeconds(performance.now() - begun), '');
  log(`loading ${sizes.reduce((sum, size) => sum + size, 0)} events`);
  begun = performance.now();
  await load(server, projects, prepareDataSet({ ...DATASET_DEFAULTS, events: most, data, reference: undefined }, log).events); // prettier-ignore
  tell('loaded', `${inSeconds(performance.now() - begun)}, ${mebibytes(server.memory())} resident`, '');

  await server.stop();
  begun = performance.now();
  sealJournal({ folder, segmentRows: SEGMENT_ROWS, geoipFile: null, onUsage: () => undefined });
  log(`sealed what the journal had in ${inSeconds(performance.now() - begun)}`);
  server = await start();
  const first = await askFirst(server, bare, pickSome(projects, ASKED, shapes), shapes);
  tell('first question to a project that nobody asked', first, '10 b, 40 b');

  const restart = async (how: 'stop' | 'kill'): Promise<void> => {
    await forAll(server, projects, () => Buffer.from('{"event_type":"page_view","user_id":"u1"}'));
    const ending = performance.now();
    await server[how]();
    const ended = performance.now();
    server = await start();
    const [end, ready] = [ended - ending, performance.now() - ended];
    const measured = `${inSeconds(end)} to end, ${inSeconds(ready)} to start`;
    if (how === 'stop') tell('ready after SIGTERM, events of all pending', measured, '1 s');
    else tell('ready after kill -9, events of all pending', measured, '2 s');
    const asked = await askFirst(server, bare, pickSome(projects, ASKED, shapes), shapes);
    tell('first question to a project with events in the journal', asked, '');
  };
  await restart('stop');
  await restart('kill');

  const steady = await steadyLoad(server.port, projects, { bare, seed, until: after(seconds) });
  tell(`acknowledgement, ${steady.events} events in ${seconds} s`, percentiles(steady.acknowledged), 'p99 25 ms');
  tell('the bare server beside them', percentiles(steady.bare), '');
  tell(`answer, ${steady.answered.count} questions beside them`, percentiles(steady.answered), '');
  tell('resident', mebibytes(server.memory()), '500 MB');

  tell('backup of everything', inSeconds(await backUp(folder, target)), '');
  const before = await steadyLoad(server.port, projects, { bare, seed: seed + 1, until: after(seconds / 2) });
  let ended = false;
  const backing = backUp(folder, target).finally(() => (ended = true));
  const beside = await steadyLoad(server.port, projects, { bare, seed: seed + 2, until: () => ended });
  tell('backup of what changed', inSeconds(await backing), '60 s');
  tell('acknowledgement, a minute after it', percentiles(before.acknowledged), 'p99 25 ms');
  tell('acknowledgement beside the backup of what changed', percentiles(beside.acknowledged), '');
  const moved = beside.answered.p99 / before.answered.p99;
  tell('answers beside it', `${percentiles(beside.answered)}: ${moved.toFixed(1)} times the p99 of before`, '2 times');
  tell('file descriptors', `${server.descriptors()} of ${DESCRIPTORS}, none refused`, '1,024');

  await server.stop();
  tell('disk of an empty project', await bytesOfEmpty(folder, start), '64 KiB');
  bare.stop();
  removeFolder(target);
  return ['| | measured | wanted |', '| --- | --- | --- |', ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n');
}

/** Sends each project its events: the first lines of one data set. */
async function load(server: WindlassServer, projects: readonly TenantProject[], file: string): Promise<void> {
  const whole = readFileSync(file);
  const ends: number[] = [];
  for (let at = whole.indexOf(10); at >= 0; at = whole.indexOf(10, at + 1)) ends.push(at + 1);
  await forAll(server, projects, ({ events }) => whole.subarray(0, ends[Math.min(events, ends.length) - 1]), true);
}

/** Sends one request to each project. */
async function forAll(
  server: WindlassServer,
  projects: readonly TenantProject[],
  bodyOf: (project: TenantProject) => Uint8Array,
  lines = false,
): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const connection = await HttpConnection.open(server.host, server.port);
      while (next < projects.length) {
        const project = projects[next++]!;
        const type = lines ? 'application/x-ndjson' : 'application/json';
        const headers = { 'X-API-Key': project.key, 'Content-Type': type };
        const { status, body } = await connection.send(postRequest('/track', headers, bodyOf(project)));
        if (status !== 200) throw new Error(`a request was answered ${status} ${body.toString()}`);
      }
      connection.close();
    }),
  );
}

/** Sends each of the projects one query, alternating with the bare server. */
async function askFirst(
  { port }: WindlassServer,
  bare: BareServer,
  projects: readonly TenantProject[],
  shapes: Shapes,
): Promise<string> {
  const asker = await Asker.open(port);
  const times: number[] = [];
  const units: number[] = [];
  for (const { key } of projects) {
    const q = shapes.next();
    units.push(await bare.ask(q));
    times.push(await asker.query(key, q));
  }
  asker.close();
  const b = median(units);
  const [p50, p99] = [median(times), quantile(times, 0.99)];
  return `p50 ${p50.toFixed(1)} ms, ${(p50 / b).toFixed(1)} b; p99 ${p99.toFixed(1)} ms, ${(p99 / b).toFixed(1)} b (b ${b.toFixed(2)} ms)`;
}

/** Duration of a backup in milliseconds. */
async function backUp(folder: string, target: string): Promise<number> {
  const begun = performance.now();
  await promisify(execFile)(process.execPath, [WL, 'admin', 'backup', target, '--json'], {
    env: { ...process.env, WINDLASS_DATA: folder },
    maxBuffer: 1 << 26,
  });
  return performance.now() - begun;
}

/** What projects add to the folder that were created and queried once, and have no events. */
async function bytesOfEmpty(folder: string, start: () => Promise<WindlassServer>): Promise<string> {
  const before = folderBytes(folder);
  const empty = await createProjects(folder, [[EMPTY, 0]]);
  const server = await start();
  const asker = await Asker.open(server.port);
  for (const { key } of empty) await asker.query(key, '* | last 7 d | count');
  asker.close();
  await server.stop();
  return `${((folderBytes(folder) - before) / EMPTY / 1_024).toFixed(0)} KiB`;
}

function pickSome(projects: readonly TenantProject[], most: number, shapes: Shapes): TenantProject[] {
  const left = [...projects];
  return Array.from({ length: Math.min(most, left.length) }, () => left.splice(shapes.below(left.length), 1)[0]!);
}

function after(seconds: number): () => boolean {
  const end = performance.now() + seconds * 1_000;
  return () => performance.now() >= end;
}

const inSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MB`;
const percentiles = ({ p50, p99 }: { readonly p50: number; readonly p99: number }): string =>
  `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
