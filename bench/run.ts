/** `npm run bench`: Windlass beside DuckDB and ClickHouse's engine, on the same data, with the same queries. */
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { prepareDataSet, type DataSet } from './data-set.ts';
import { preparePeer, windlassEngine, type Engine, type EngineName, type OpenEngine } from './engines.ts';
import { removeFolder, temporaryFolder } from './folder.ts';
import { bulkLoad, measureIngest } from './ingest/ingest.ts';
import { installPeers } from './install-peers.ts';
import { agree, cold, slowerOnes, warm, type Times } from './measure.ts';
import { readOptions, USAGE, type BenchOptions } from './options.ts';
import { PEER_NAMES } from './peers/peer.ts';
import { drawQuestions } from './random/questions.ts';
import { readQuestions, type Question, type QuestionFile } from './questions.ts';
import { summaryOf } from './ratios.ts';
import { renderMarkdown, type BenchResult } from './report.ts';
import { measureFootprint } from './windlass/footprint.ts';
import { WindlassClient } from './windlass/client.ts';
import { WindlassServer, type Project } from './windlass/server.ts';
import { settled } from './windlass/settled.ts';

const log = (line: string): void => console.error(`bench: ${line}`);

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes('--help')) return console.log(USAGE);
  const options = readOptions(args);
  installPeers();
  for (const events of options.sizes) await benchOne({ ...options, events });
}

async function benchOne(options: BenchOptions): Promise<void> {
  const folder = temporaryFolder();
  try {
    const result = await bench(options, folder);
    console.log(options.json ? JSON.stringify(result, withMaps, 2) : renderMarkdown(result));
  } finally {
    removeFolder(folder);
  }
}

async function bench(options: BenchOptions, folder: string): Promise<BenchResult> {
  const data = prepareDataSet(options, log);
  const file = readQuestions(options.questions);
  const known = options.random > 0 ? drawQuestions(options.random, options.randomSeed) : file.questions;
  const questions = known.filter(({ id }) => options.only.length === 0 || options.only.includes(id));
  const peers = await preparePeers(data, file, options);
  const { project, ...loaded } = await loadWindlass(folder, data, options);
  const openWindlass: OpenEngine = async () =>
    windlassEngine(await WindlassServer.start(folder, options.threads), project);
  const openers = [openWindlass, ...peers];
  const { asked, ...measured } = await askWarm(openers, questions, options);
  if (options.parts.has('cold')) log('cold runs');
  return {
    machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
    versions: versions(),
    events: options.events,
    threads: options.threads,
    runs: options.runs,
    seed: options.random > 0 ? options.randomSeed : null,
    questions: asked,
    ...measured,
    cold: options.parts.has('cold') ? await cold(openers, asked, options.coldRuns) : new Map(),
    ...loaded,
  };
}

async function preparePeers(data: DataSet, file: QuestionFile, { threads }: BenchOptions): Promise<OpenEngine[]> {
  const openers: OpenEngine[] = [];
  for (const name of PEER_NAMES) {
    log(`preparing ${name}`);
    openers.push(await preparePeer(name, data, { file, threads }));
  }
  return openers;
}

/** Sends everything to Windlass: batches to a separate project, then the data set. */
async function loadWindlass(
  folder: string,
  data: DataSet,
  options: BenchOptions,
): Promise<{ project: Project } & Pick<BenchResult, 'ingest' | 'load' | 'settleSeconds' | 'footprint'>> {
  const server = await WindlassServer.start(folder, options.threads);
  const ingest = options.parts.has('ingest') ? await ingestPart(server, data.events, options) : null;
  const project = await server.createProject('bench');
  log('loading windlass');
  const load = await bulkLoad(server, project, data);
  log(`loaded ${load.events} lines in ${load.seconds.toFixed(1)} s; waiting for compaction`);
  const client = await WindlassClient.open(server, project);
  await client.ask('* | all | count', ['count']); // seals what waits: a stop may leave it in the journal
  client.close();
  const settleSeconds = await settled(server);
  await server.stop(); // so that the first answers come from files
  return { project, ingest, load, settleSeconds, footprint: measureFootprint(server, project) };
}

async function ingestPart(server: WindlassServer, file: string, options: BenchOptions): Promise<BenchResult['ingest']> {
  log('ingest in batches');
  const project = await server.createProject('batches');
  const result = await measureIngest(server, project, { file, events: options.batchEvents, size: 100, connections: 8 });
  await settled(server);
  return result;
}

/** All engines at once, each in its own process. */
async function askWarm(
  openers: readonly OpenEngine[],
  questions: readonly Question[],
  options: BenchOptions,
): Promise<{ asked: Question[] } & Pick<BenchResult, 'skipped' | 'warm' | 'slower' | 'summary' | 'memory'>> {
  const engines: Engine[] = [];
  for (const open of openers) engines.push(await open());
  log('comparing answers');
  const { asked, skipped } = await agree(engines, questions);
  log('warm runs');
  const times = options.parts.has('queries') ? await warm(engines, asked, options.runs) : new Map<string, Times>();
  const slower = options.random > 0 ? await slowerOnes(engines, asked, times) : [];
  const memory: Partial<Record<EngineName, number>> = {};
  for (const engine of engines) {
    memory[engine.name] = await engine.memory();
    await engine.close();
  }
  return { asked, skipped, warm: times, slower, summary: summaryOf([...times.values()]), memory };
}

function versions(): string {
  const manifest: { dependencies: Record<string, string> } = JSON.parse(readFileSync('bench/package.json', 'utf8'));
  return [
    `Node ${process.version}`,
    ...Object.entries(manifest.dependencies).map(([name, version]) => `${name} ${version}`),
  ].join(', ');
}

function withMaps(key: string, value: unknown): unknown {
  if (key === 'texts') return undefined; // the same of a random question for other ranges
  return value instanceof Map ? Object.fromEntries(value) : value;
}

await main();
