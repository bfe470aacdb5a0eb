/**
 * `npm run bench:scaling`: Windlass alone, on data sets of several sizes, with one thread and two, and on the same data without
 * late events. Shows what a query costs by the number of events, and what a second thread gains.
 */
import { parseArgs } from 'node:util';
import { prepareDataSet } from './data-set.ts';
import { windlassEngine } from './engines.ts';
import { removeFolder, temporaryFolder } from './folder.ts';
import { DATASET_DEFAULTS } from './generate.ts';
import { bulkLoad } from './ingest/ingest.ts';
import { warm } from './measure.ts';
import { readQuestions, type Question } from './questions.ts';
import { WindlassServer } from './windlass/server.ts';
import { settled } from './windlass/settled.ts';

/** One column of the table. */
interface Run {
  readonly events: number;
  readonly late: number;
  readonly threads: number;
}

/** Milliseconds by query. */
type Column = ReadonlyMap<string, number>;

interface Settings {
  readonly sizes: readonly number[];
  readonly data: string;
  readonly reference: string | undefined;
  readonly runs: number;
}

const log = (line: string): void => console.error(`bench: ${line}`);

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes('--help')) return console.log(USAGE);
  const settings = readSettings(args);
  const { sizes, reference } = settings;
  const file = readQuestions(reference === undefined ? 'bench/questions.json' : `${reference}/queries.json`);
  const middle = sizes[Math.min(1, sizes.length - 1)]!;
  const groups: Run[][] = sizes.map((events) => {
    const threads = events === middle ? [2, 1] : [2];
    return threads.map((count) => ({ events, late: DATASET_DEFAULTS.late, threads: count }));
  });
  groups.push([{ events: middle, late: 0, threads: 2 }]);
  const columns: { run: Run; times: Column }[] = [];
  for (const group of groups) columns.push(...(await measure(group, file.questions, settings)));
  console.log(tableOf(file.questions, columns));
}

/** Loads the data set of the runs once, then queries it with each number of threads. */
async function measure(
  runs: readonly Run[],
  questions: readonly Question[],
  settings: Settings,
): Promise<{ run: Run; times: Column }[]> {
  const [{ events, late }] = runs as readonly [Run, ...Run[]];
  const { seed, duplicates } = DATASET_DEFAULTS;
  const { data: folderOfData, reference } = settings;
  const data = prepareDataSet({ events, seed, late, duplicates, data: folderOfData, reference }, log);
  const folder = temporaryFolder();
  try {
    const server = await WindlassServer.start(folder, 2);
    const project = await server.createProject('bench');
    log(`loading ${events} events`);
    await bulkLoad(server, project, data);
    await settled(server);
    await server.stop();
    const measured: { run: Run; times: Column }[] = [];
    for (const run of runs) {
      log(`asking, ${run.threads} threads`);
      const engine = await windlassEngine(await WindlassServer.start(folder, run.threads), project);
      const times = await warm([engine], questions, settings.runs);
      await engine.close();
      const column = new Map([...times].map(([id, { windlass }]) => [id, windlass]));
      log([...column].map(([id, ms]) => `${id} ${ms.toFixed(1)} ms`).join(', '));
      measured.push({ run, times: column });
    }
    return measured;
  } finally {
    removeFolder(folder);
  }
}

function tableOf(questions: readonly Question[], columns: readonly { run: Run; times: Column }[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const head = columns.map(({ run: { events, late, threads } }) => {
    return `${events / 1e6} M${late === 0 ? ', none late' : ''}, ${threads} thread${threads === 1 ? '' : 's'}`;
  });
  return [
    line(['ms, median', ...head]),
    line(['---', ...head.map(() => '---:')]),
    ...questions.map(({ id, title }) =>
      line([`${id} ${title}`, ...columns.map(({ times }) => times.get(id)!.toFixed(1))]),
    ),
  ].join('\n');
}

const USAGE = `npm run bench:scaling -- [options]
  --sizes N,N,N     distinct events of each data set (1000000,10000000,30000000); threads and late events are compared on the second
  --runs N          warm runs of each question (9)
  --data DIR        where data is kept (bench/.cache)
  --reference DIR   take generate.mjs and queries.json of that folder instead of our own`;

function readSettings(args: readonly string[]): Settings {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ args: [...args], options: { sizes: text, data: text, reference: text, runs: text } });
  const sizes = (values.sizes ?? '1000000,10000000,30000000').split(',').map(Number);
  const runs = Number(values.runs ?? 9);
  if (![...sizes, runs].every((number) => Number.isInteger(number) && number > 0)) {
    throw new Error(USAGE);
  }
  return { sizes, runs, data: values.data ?? 'bench/.cache', reference: values.reference };
}

await main();
