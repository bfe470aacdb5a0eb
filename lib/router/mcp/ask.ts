/** Questions of tools, asked as POST /query asks them: the same limits, turns and deadline. */
import { formatPage } from '../../dsl/format/page.ts';
import { frameAnswer } from '../../dsl/format/frame.ts';
import type { AnswerFormat } from '../../dsl/format/answer.ts';
import { askedMetrics } from '../../dsl/plan/columns.ts';
import { askedRange } from '../../dsl/plan/shown-range.ts';
import type { Cell } from '../../dsl/plan/table.ts';
import type { ProjectCredential } from '../auth/credentials.ts';
import { Stopwatch } from '../http/stopwatch.ts';
import { checkSuspension } from '../limits/suspension.ts';
import { refuseLongQuery } from '../query/query-request.ts';
import { askerWith, checkSwitchedOn } from '../query/query.ts';
import { type Ran, runQuery } from '../query/run-query.ts';
import { cutRows, type Rows, parsedRows } from './rows.ts';
import type { ToolCall } from './tool.ts';

/** As `wl --format` names them. */
export const ANSWER_FORMATS = ['markdown', 'json', 'csv'] as const;

export interface ToolQuestion {
  readonly q: string;
  readonly limit: number;
  readonly offset?: number;
  readonly timezone?: string;
  readonly explain?: boolean;
}

/** Runs a query for the holder of a key. Rejects as POST /query does. */
export async function ask(
  { services, request, response, arrival, deadline }: ToolCall,
  credential: ProjectCredential,
  { q, limit, offset = 0, timezone, explain = false }: ToolQuestion,
): Promise<Ran & { readonly watch: Stopwatch }> {
  const asker = askerWith(credential);
  services.load.admitted(request, asker.project.id);
  checkSuspension(asker.project, 'queries');
  checkSwitchedOn(services.config);
  refuseLongQuery(q, services.config.queryLength);
  const watch = new Stopwatch();
  const wanted = { cursor: null, q, limit, offset, timezone: timezone ?? null, format: 'json', envelope: false, explain, notes: [] } as const; // prettier-ignore
  const ran = await runQuery(services, { ...asker, wanted, arrival, deadline, response, watch });
  watch.insert(ran.result.times);
  services.unread.hold(response, asker.project, ran.result.page.text.length);
  return { ...ran, watch };
}

/** Bytes of a list of which rows are made: most of it may be what no row has. */
const SPARSE = 4;

/** The rows of an answer, at most `most` bytes of them. A list comes without columns that are empty in all of its rows. */
export function rowsOf({ result: { page }, notes }: Ran, offset: number, most: number): Rows {
  const { columns, shown, total, text } = page;
  const found = { total, wanted: shown, offset, notes };
  const names = columns.map(({ name }) => name);
  if (!columns.every(({ role }) => role === 'value'))
    return cutRows({ columns: names, rows: parsedRows(text, most), ...found }, most);
  const all = parsedRows(text, SPARSE * most);
  const kept = names.filter((name) => all.some((row) => row[name] !== null));
  const rows = all.map((row) => Object.fromEntries(kept.map((name) => [name, row[name]])));
  return cutRows({ columns: kept, rows, ...found }, most);
}

/** The same rows as text, with the notes below a table. */
export function rowsText(
  { read: { plan }, result }: Ran,
  { rows, total, notes }: Rows,
  format: (typeof ANSWER_FORMATS)[number],
  watch: Stopwatch,
): string {
  const { columns } = result.page;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON of cells: times are texts in it, as the formats print them
  const cells = rows.map((row) => columns.map(({ name }) => (row[name] ?? null) as Cell));
  const name: AnswerFormat = format === 'markdown' ? 'llm' : format;
  const page = formatPage(name, { columns, rows: cells, total }, plan.zone, askedMetrics(plan));
  const { rowsScanned } = result.observations;
  const facts = {
    page,
    range: askedRange(plan),
    zone: plan.zone,
    rowsScanned,
    elapsedMs: watch.elapsed,
    mode: '',
    notes,
  };
  return new TextDecoder().decode(page.text) + frameAnswer(name, facts).after;
}
