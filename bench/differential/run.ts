/** `npm run differential`: random queries on random worlds, run by Windlass and, in SQL, by DuckDB and ClickHouse's engine. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { difference, sorted } from '../compare.ts';
import { removeFolder, temporaryFolder } from '../folder.ts';
import { installPeers } from '../install-peers.ts';
import { PEER_NAMES, type Row } from '../peers/peer.ts';
import { Database } from './database.ts';
import type { MakeQuestion, Question } from './question.ts';
import { lifecycleQuestion, stickinessQuestion } from './questions/activity.ts';
import { aggregateQuestion } from './questions/aggregate.ts';
import { attributionQuestion } from './questions/attribution.ts';
import { choiceQuestion } from './questions/choice.ts';
import { funnelQuestion } from './questions/funnel.ts';
import { latestQuestion } from './questions/latest.ts';
import { pathsQuestion } from './questions/paths.ts';
import { peopleQuestion } from './questions/people.ts';
import { retentionQuestion } from './questions/retention.ts';
import { perQuestion } from './questions/per.ts';
import { sessionsQuestion } from './questions/sessions.ts';
import { compareQuestion, tableQuestion } from './questions/tables.ts';
import { formulaQuestion, rollingQuestion } from './questions/windows.ts';
import { Random } from './random.ts';
import { shrink } from './shrink.ts';
import { Windlass, type StoreName } from './windlass.ts';
import { makeWorld, WORDS, type World } from './world.ts';

/** The queries run on each world, by name. */
const QUESTIONS: readonly (readonly [name: string, make: MakeQuestion])[] = [
  ['aggregate', aggregateQuestion],
  ['aggregate', aggregateQuestion],
  ['aggregate', aggregateQuestion],
  ['funnel', funnelQuestion],
  ['funnel', funnelQuestion],
  ['retention', retentionQuestion],
  ['sessions', sessionsQuestion],
  ['paths', pathsQuestion],
  ['paths', pathsQuestion],
  ['lifecycle', lifecycleQuestion],
  ['stickiness', stickinessQuestion],
  ['choice', choiceQuestion],
  ['attribution', attributionQuestion],
  ['latest', latestQuestion],
  ['table', tableQuestion],
  ['compare', compareQuestion],
  ['rolling', rollingQuestion],
  ['formula', formulaQuestion],
  ['per', perQuestion],
  ['people', peopleQuestion],
];

const USAGE = `npm run differential -- [options]
  --worlds N        random sets of events (200)
  --seed N          of the first; a difference prints the seed of its own (a random one)
  --only a,b        ask only questions of these kinds
  --threads N       query threads of Windlass (2)
With WINDLASS_TEST_STORE=clickhouse, Windlass keeps its events there: in chDB, or the server of CLICKHOUSE_URL.`;

interface Options {
  readonly worlds: number;
  readonly seed: number;
  readonly threads: number;
  readonly store: StoreName;
  readonly only: readonly string[];
}

/** What was compared. */
interface Tally {
  answers: number;
  withRows: number;
}

interface Engines {
  readonly windlass: Windlass;
  readonly databases: readonly Database[];
  readonly tally: Tally;
}

/** Where a database disagrees. */
interface Disagreement {
  readonly database: string;
  readonly what: string;
  readonly windlass: readonly Row[];
  readonly sql: readonly Row[];
}

async function main(): Promise<void> {
  if (process.argv.includes('--help')) return console.log(USAGE);
  const options = readOptions();
  installPeers();
  const folder = temporaryFolder();
  const engines = await open(folder, options);
  try {
    console.log(`differential: ${options.worlds} worlds from seed ${options.seed}, store ${options.store}`);
    for (let seed = options.seed; seed < options.seed + options.worlds; seed++) {
      if (!(await agree(engines, seed, options.only))) {
        process.exitCode = 1;
        return;
      }
    }
    const { answers, withRows } = engines.tally;
    console.log(`differential: ${answers} answers, ${withRows} of them with rows: no difference`);
  } finally {
    await engines.windlass.close();
    for (const database of engines.databases) await database.close();
    removeFolder(folder);
  }
}

async function open(folder: string, { threads, store }: Options): Promise<Engines> {
  const databases: Database[] = [];
  for (const name of PEER_NAMES) {
    mkdirSync(join(folder, name));
    databases.push(await Database.open(name, join(folder, name)));
  }
  mkdirSync(join(folder, 'windlass'));
  const windlass = await Windlass.open(join(folder, 'windlass'), { name: store, threads });
  return { windlass, databases, tally: { answers: 0, withRows: 0 } };
}

/** Runs all queries on one world. Prints the first difference, with the smallest world that shows it. */
async function agree(engines: Engines, seed: number, only: readonly string[]): Promise<boolean> {
  const random = new Random(seed, WORDS);
  const world = makeWorld(random);
  const questions = QUESTIONS.map(([name, make]) => ({ name, question: make(random) }));
  const asked = questions.filter(({ name }) => only.length === 0 || only.includes(name));
  const found = await firstDifference(engines, world, asked.map(({ question }) => question)); // prettier-ignore
  if (found === null) return true;
  const { question } = found;
  const least = await shrink(world, async (part) => (await firstDifference(engines, part, [question])) !== null);
  const shown = (await firstDifference(engines, least, [question])) ?? found;
  print(seed, question, least, shown.disagreement);
  return false;
}

async function firstDifference(
  { windlass, databases, tally }: Engines,
  world: World,
  questions: readonly Question[],
): Promise<{ readonly question: Question; readonly disagreement: Disagreement } | null> {
  const loaded = await windlass.load(world);
  for (const database of databases) await database.load(world);
  try {
    for (const question of questions) {
      const own = sorted(question.rows(await loaded.ask(question.pipe)));
      tally.answers++;
      if (own.length > 0) tally.withRows++;
      for (const database of databases) {
        const rows = sorted(await database.ask(question));
        const what = difference(own, rows);
        if (what !== null)
          return { question, disagreement: { database: database.name, what, windlass: own, sql: rows } };
      }
    }
    return null;
  } finally {
    await loaded.drop();
  }
}

function print(seed: number, question: Question, world: World, found: Disagreement): void {
  const lines = [
    `differential: a difference at --seed ${seed} (--worlds 1): ${found.what}`,
    `--- events and bindings, a request a line`,
    ...world.map((request) => JSON.stringify(request.kind === 'track' ? request.events : request)),
    `--- pipe`,
    question.pipe,
    `--- windlass`,
    ...found.windlass.map((row) => JSON.stringify(row)),
    `--- ${found.database}`,
    ...found.sql.map((row) => JSON.stringify(row)),
  ];
  console.log(lines.join('\n'));
}

function readOptions(): Options {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: { worlds: text, seed: text, only: text, threads: text },
  });
  const whole = (value: string | undefined, fallback: number): number => {
    const number = value === undefined ? fallback : Number(value);
    if (!Number.isInteger(number) || number < 1) throw new Error(`expected a whole number, not ${value}\n${USAGE}`);
    return number;
  };
  const only = values.only?.split(',') ?? [];
  const unknown = only.find((name) => !QUESTIONS.some(([known]) => known === name));
  if (unknown !== undefined) throw new Error(`there are no questions of the kind ${unknown}\n${USAGE}`);
  return {
    worlds: whole(values.worlds, 200),
    seed: whole(values.seed, 1 + Math.floor(Math.random() * 1e9)),
    threads: whole(values.threads, 2),
    store: process.env['WINDLASS_TEST_STORE'] === 'clickhouse' ? 'clickhouse' : 'embedded',
    only,
  };
}

await main();
