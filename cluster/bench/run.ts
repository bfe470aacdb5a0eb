/**
 * `npm run bench:cluster`: what our statements cost ClickHouse beside the SQL written by hand for tables of one tenant, and what
 * ingest costs. chDB runs in this process; processor time is counted, of all threads, which a busy machine changes less.
 */
import { parseArgs } from 'node:util';
import { createStatements, EVENTS, HOT_KEYS, IDENTITIES, type Table } from '../lib/clickhouse/schema.ts';
import { answerSettings, lower } from '../lib/clickhouse/questions/lower.ts';
import { notedUses, scannedRows, unseen, notProven } from '../lib/clickhouse/questions/observe.ts';
import { print, type Printed, type Tenant } from '../lib/clickhouse/sql/statement.ts';
import { compileQuery } from '../../lib/dsl/compile.ts';
import { columnsOf, zoneOf } from '../../lib/dsl/plan/columns.ts';
import { finishTable } from '../../lib/dsl/finish/finish.ts';
import { formatRows } from '../../lib/dsl/format/json.ts';
import { difference } from '../../bench/compare.ts';
import { prepareDataSet, type DataSet } from '../../bench/data-set.ts';
import { removeFolder, temporaryFolder } from '../../bench/folder.ts';
import { DATASET_DEFAULTS } from '../../bench/generate.ts';
import { installPeers } from '../../bench/install-peers.ts';
import type { Row } from '../../bench/peers/peer.ts';
import { questionText, readQuestions, SHIFTS, type Question, type QuestionFile } from '../../bench/questions.ts';
import { geometricMean, median } from '../../bench/statistics.ts';
import { Chdb } from './chdb.ts';
import { TenantLoader } from './tenant-loader.ts';

const USAGE = `npm run bench:cluster -- [options]
  --events N        of the tenant that is asked (1000000)
  --others N        of each of three others in the same tables (300000)
  --runs N          of each question, alternating (9)
  --only q1,q5      ask only these
  --data DIR        where data is kept (bench/.cache)
  --reference DIR   take generate.mjs and queries.json of that folder instead of our own`;

/** Processor time, milliseconds. `notes`: of the statement for what stands below an answer. */
interface Measured {
  readonly question: Question;
  readonly hand: number;
  readonly ours: number;
  readonly notes: number;
}

const log = (line: string): void => console.error(`bench: ${line}`);

async function main(): Promise<void> {
  if (process.argv.includes('--help')) return console.log(USAGE);
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: { events: text, others: text, runs: text, only: text, data: text, reference: text },
  });
  installPeers();
  const { reference, only } = values;
  const dataOf = (events: number, seed: number): DataSet =>
    prepareDataSet({ ...DATASET_DEFAULTS, events, seed, data: values.data ?? 'bench/.cache', reference }, log);
  const file = readQuestions(reference === undefined ? 'bench/questions.json' : `${reference}/queries.json`);
  const folder = temporaryFolder();
  const chdb = new Chdb(folder);
  try {
    const data = dataOf(Number(values.events ?? 1_000_000), DATASET_DEFAULTS.seed);
    loadByHand(chdb, file, data);
    const tenant = await loadOurs(
      chdb,
      data,
      [2, 3, 4].map((seed) => dataOf(Number(values.others ?? 300_000), seed)),
    );
    const chosen = file.questions.filter(({ id }) => only === undefined || only.split(',').includes(id));
    // What is measured here is one statement: a comparison has two, and a list is read in another way.
    const { one: questions = [], other: left = [] } = Object.groupBy(chosen, ({ pipe }) =>
      isOne(pipe) ? 'one' : 'other',
    );
    if (left.length > 0) log(`left out, comparisons and lists: ${left.map(({ id }) => id).join(', ')}`);
    const settings = file.schema.clickhouse.settings;
    const measured = questions.map((question) =>
      measure(chdb, tenant, { question, settings, runs: Number(values.runs ?? 9) }),
    );
    console.log(tableOf(measured));
  } finally {
    chdb.close();
    removeFolder(folder);
  }
}

function loadByHand(chdb: Chdb, { schema }: QuestionFile, { events, bindings }: DataSet): void {
  log('loading the tables by hand');
  for (const sql of schema.clickhouse.create)
    chdb.run(sql.replaceAll('{events}', events).replaceAll('{bindings}', bindings));
}

async function loadOurs(chdb: Chdb, data: DataSet, others: readonly DataSet[]): Promise<Tenant> {
  for (const sql of createStatements({ database: 'ours', cluster: null })) chdb.run(sql);
  chdb.run('USE ours');
  log('loading ours');
  const loader = new TenantLoader(chdb, 'prj_asked');
  await loader.load(data);
  for (const [nth, other] of others.entries()) await new TenantLoader(chdb, `prj_${nth}`).load(other);
  for (const { name } of [EVENTS, IDENTITIES, HOT_KEYS] satisfies readonly Table[])
    chdb.run(`OPTIMIZE TABLE ${name} FINAL`);
  const { node, engine } = loader.seconds;
  const per = (seconds: number): string => ((seconds * 1e6) / loader.events).toFixed(1);
  console.log(
    `Ingest of ${loader.events} events, in inserts of 20,000: ${per(node)} µs of the node and ${per(engine)} µs of ClickHouse for each.\n`,
  );
  return { id: 'prj_asked', slots: loader.slots };
}

function measure(
  chdb: Chdb,
  tenant: Tenant,
  { question, settings, runs }: { readonly question: Question; readonly settings: string; readonly runs: number },
): Measured {
  const times = { hand: [] as number[], ours: [] as number[], notes: [] as number[] };
  for (let run = 0; run <= runs; run++) {
    const days = run % SHIFTS; // no answer can come from a cache
    const hand = chdb.ask({ sql: questionText(question, 'clickhouse', days, settings), params: {} });
    const { main, notes, read } = statementsOf(tenant, questionText(question, 'pipe', days), settings);
    const ours = chdb.ask(main);
    const noted = notes(ours.rows).map((statement) => chdb.ask(statement).ms);
    if (run > 0) {
      times.hand.push(hand.ms);
      times.ours.push(ours.ms);
      times.notes.push(noted.reduce((sum, ms) => sum + ms, 0));
      continue;
    }
    const differs = difference(hand.rows, read(ours.rows, question.columns));
    if (differs !== null) throw new Error(`${question.id}: ${differs}`);
  }
  return { question, hand: median(times.hand), ours: median(times.ours), notes: median(times.notes) };
}

interface Statements {
  readonly main: Printed;
  /** Those that an answer with these rows needs. */
  readonly notes: (found: readonly Row[]) => readonly Printed[];
  /** The answer, of these columns. */
  readonly read: (found: readonly Row[], columns: readonly string[]) => Row[];
}

function planOf(pipe: string) {
  const context = { now: Date.UTC(2024, 5, 1), timezone: { project: 'UTC' }, limit: 10_000, offset: 0, earliest: 0 };
  return compileQuery(pipe, context).plan;
}

function isOne(pipe: string): boolean {
  const plan = planOf(pipe);
  return plan.kind !== 'list' && !plan.tableStages.some(({ kind }) => kind === 'compare');
}

function statementsOf(tenant: Tenant, pipe: string, settings: string): Statements {
  const plan = planOf(pipe);
  if (plan.kind === 'list') throw new Error('no question is a list');
  const question = lower(tenant, plan);
  const more = Object.entries(answerSettings(plan)).map(([name, value]) => `, ${name} = ${value}`);
  const withSettings = ({ sql, params }: Printed, others = ''): Printed => ({
    sql: `${sql}\n${settings}${others}`,
    params,
  });
  return {
    main: withSettings(print(question.sql), more.join('')),
    notes: (found) => {
      const uses = notedUses(plan);
      const looked = unseen(
        tenant,
        plan,
        plan.kind === 'aggregate' ? notProven(plan, uses, question.readRows(found)) : uses,
      );
      const statements = [scannedRows(tenant, plan), ...(looked === null ? [] : [looked.sql])];
      return statements.map((statement) => withSettings(print(statement)));
    },
    read: (found, columns) => {
      const table = finishTable(plan, columnsOf(plan), question.readRows(found));
      const named = JSON.parse([...formatRows(table, zoneOf(plan))].join('')) as Record<string, Row[number]>[];
      return named.map((row) => columns.map((column) => row[column] ?? null));
    },
  };
}

function tableOf(measured: readonly Measured[]): string {
  const ratios = measured.map(({ hand, ours }) => ours / hand);
  const withNotes = measured.map(({ hand, ours, notes }) => (ours + notes) / hand);
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(['question', 'by hand, ms', 'ours, ms', 'notes, ms', 'ratio', 'with notes']),
    line(['---', '---:', '---:', '---:', '---:', '---:']),
    ...measured.map(({ question, hand, ours, notes }, i) =>
      line([
        `${question.id} ${question.title}`,
        ...[hand, ours, notes].map((ms) => ms.toFixed(1)),
        ...[ratios[i]!, withNotes[i]!].map((ratio) => ratio.toFixed(2)),
      ]),
    ),
    line(['geometric mean', '', '', '', geometricMean(ratios).toFixed(2), geometricMean(withNotes).toFixed(2)]),
  ].join('\n');
}

await main();
