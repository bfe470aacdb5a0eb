/** Options of `npm run bench -- …`. */
import { parseArgs } from 'node:util';
import { DATASET_DEFAULTS } from './generate.ts';

export interface BenchOptions {
  /** How many questions to draw in place of those of the file; 0: none. */
  readonly random: number;
  /** Of the questions that are drawn. */
  readonly randomSeed: number;
  /** Of the current data set. */
  readonly events: number;
  /** Events of each data set, one after the other. */
  readonly sizes: readonly number[];
  readonly seed: number;
  readonly late: number;
  readonly duplicates: number;
  /** Folder of generated data and the peers' databases; kept, so that a second run starts at once. */
  readonly data: string;
  /** A folder with a generator (generate.mjs) and queries (queries.json) to use instead of our own. */
  readonly reference: string | undefined;
  readonly questions: string;
  /** Ids of the queries to run; empty: all. */
  readonly only: readonly string[];
  /** Warm runs per query. */
  readonly runs: number;
  /** Fresh starts of each engine for the cold table. */
  readonly coldRuns: number;
  /** Threads per engine. */
  readonly threads: number;
  /** Events for the ingest measurement in batches. */
  readonly batchEvents: number;
  readonly json: boolean;
  readonly parts: ReadonlySet<Part>;
}

const PARTS = ['queries', 'cold', 'ingest'] as const;
export type Part = (typeof PARTS)[number];

export const USAGE = `npm run bench -- [options]
  --events N,…      distinct events, of one data set after the other (10000000)
  --seed N, --late F, --duplicates F   of the data set (${DATASET_DEFAULTS.seed}, ${DATASET_DEFAULTS.late}, ${DATASET_DEFAULTS.duplicates})
  --random N        ask N questions that are drawn, by the seed: the data set then has its usual one
  --data DIR        where data and the peers' databases are kept (bench/.cache)
  --questions FILE  questions (bench/questions.json)
  --reference DIR   take generate.mjs and queries.json of that folder instead of our own
  --only q1,q5      ask only these                  --runs N, --cold-runs N   warm and cold runs of each question (7, 3)
  --threads N       threads of each engine (2)      --batch-events N   events sent in batches of 100 (1000000)
  --parts a,b       of ${PARTS.join(', ')} (all)   --json   print JSON instead of Markdown`;

/** Throws an error with the usage when an option is wrong. */
export function readOptions(args: readonly string[]): BenchOptions {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      random: text, events: text, seed: text, late: text, duplicates: text, data: text, reference: text, questions: text, only: text, runs: text,
      'cold-runs': text, threads: text, 'batch-events': text, parts: text, json: { type: 'boolean' },
    },
  }); // prettier-ignore
  const sizes = (values.events ?? '10000000').split(',').map((size) => whole('events', size, NaN));
  const events = Math.max(...sizes);
  const random = values.random === undefined ? 0 : whole('random', values.random, NaN);
  if (random > 0 && (values.reference ?? values.questions) !== undefined)
    throw new Error(`--random asks our own data set: leave out --reference and --questions\n${USAGE}`);
  const seed = whole('seed', values.seed, DATASET_DEFAULTS.seed);
  return {
    events,
    sizes,
    seed: random > 0 ? DATASET_DEFAULTS.seed : seed,
    random,
    randomSeed: seed,
    late: share('late', values.late, DATASET_DEFAULTS.late),
    duplicates: share('duplicates', values.duplicates, DATASET_DEFAULTS.duplicates),
    data: values.data ?? 'bench/.cache',
    reference: values.reference,
    questions:
      values.questions ??
      (values.reference === undefined ? 'bench/questions.json' : `${values.reference}/queries.json`),
    only: values.only?.split(',') ?? [],
    runs: whole('runs', values.runs, 7),
    coldRuns: whole('cold-runs', values['cold-runs'], 3),
    threads: whole('threads', values.threads, 2),
    batchEvents: Math.min(...sizes, whole('batch-events', values['batch-events'], 1_000_000)),
    json: values.json ?? false,
    parts: new Set(values.parts === undefined ? PARTS : values.parts.split(',').map(part)),
  };
}

function whole(name: string, value: string | undefined, fallback: number): number {
  const number = value === undefined ? fallback : Number(value);
  if (!Number.isInteger(number) || number < 1)
    throw new Error(`--${name} must be a whole number of at least 1, not ${value}\n${USAGE}`);
  return number;
}

function share(name: string, value: string | undefined, fallback: number): number {
  const number = value === undefined ? fallback : Number(value);
  if (!(number >= 0 && number <= 1)) throw new Error(`--${name} must be from 0 to 1, not ${value}\n${USAGE}`);
  return number;
}

function part(name: string): Part {
  const known = PARTS.find((each) => each === name);
  if (!known) throw new Error(`--parts knows ${PARTS.join(', ')}, not ${name}\n${USAGE}`);
  return known;
}
