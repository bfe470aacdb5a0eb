/** The answers to a dashboard's queries for one set of values. Runs in pages as well as in `wl`. */
import PQueue from 'p-queue';
import type { Card, Dashboard, Values, Variable } from './dashboard.ts';
import type { CardData, DashboardData, Envelope } from './data.ts';
import { expandQuery } from './expand.ts';
import { MAX_FOUND_LENGTH } from './values.ts';
import { lex } from '../dsl/parse/lex.ts';
import { parse } from '../dsl/parse/parse.ts';
import type { RangeNode } from '../dsl/parse/syntax.ts';
import { addMonths } from '../dsl/time/calendar.ts';
import { DAY_MS } from '../base/day.ts';

export interface CardQuestion {
  readonly q: string;
  /** null: the project's. */
  readonly timezone: string | null;
  /** Rows at most. */
  readonly limit: number;
}

/** Queries the server. Rejects with AskError for errors that a card shows. */
export type AskCard = (question: CardQuestion, signal: AbortSignal) => Promise<Envelope>;

/** The names of the project's cohorts. Rejects with AskError. */
export type CohortNames = () => Promise<readonly string[]>;

/** Why there is no answer: a sentence, and what to do. */
export class AskError extends Error {
  readonly hint: string | null;

  constructor(message: string, hint: string | null = null) {
    super(message);
    this.name = 'AskError';
    this.hint = hint;
  }
}

interface RunParts {
  readonly dashboard: Dashboard;
  readonly values: Values;
  readonly ask: AskCard;
  readonly cohorts?: CohortNames;
}

const noCohorts: CohortNames = () => Promise.resolve([]);

export class DashboardRun {
  readonly #dashboard: Dashboard;
  readonly #values: Values;
  readonly #ask: AskCard;
  readonly #cohorts: CohortNames;
  readonly #queue = new PQueue({ concurrency: 8 }); // a server's default for queries of one project at once
  readonly #answers = new Map<string, Promise<Envelope>>();
  readonly #stop = new AbortController();

  /** The values must be checked. `cohorts`: for the options of variables; left out, there are none. */
  constructor({ dashboard, values, ask, cohorts = noCohorts }: RunParts) {
    this.#dashboard = dashboard;
    this.#values = values;
    this.#ask = ask;
    this.#cohorts = cohorts;
  }

  /** What a card shows; a failing query makes it an error. Rejects for failures that concern all cards, and when stopped. */
  async card(card: Card): Promise<CardData> {
    try {
      return await this.#ready(card);
    } catch (error) {
      if (error instanceof AskError) return { state: 'error', message: error.message, hint: error.hint };
      throw error;
    }
  }

  /** The options that a query finds, except those in the file, or all cohorts. Rejects as `ask` does. */
  async options(variable: Variable): Promise<readonly { readonly value: string; readonly label: string }[]> {
    if (variable.kind === 'cohort') return (await this.#cohorts()).map((name) => ({ value: name, label: name }));
    if (variable.kind !== 'select' || variable.source === null) return [];
    const { template, column } = variable.source;
    const { columns, rows } = await this.#answer(this.#expand(template), 1_000); // the most options that a query may find
    const name = column ?? columns[0];
    const found = new Set(rows.flatMap((row) => optionOf(name === undefined ? null : row[name])));
    for (const { value } of variable.options) found.delete(value);
    return [...found].map((value) => ({ value, label: value }));
  }

  /** Cancels running and waiting queries. */
  stop(): void {
    this.#stop.abort(); // this also rejects what waits in the queue
  }

  async #ready({ queries, limit, options }: Card): Promise<CardData> {
    const asked = queries.map(({ name, template }) => ({ name, q: this.#expand(template) }));
    const answers = await Promise.all(
      asked.map(async ({ name, q }) => {
        const now = await this.#answer(q, limit);
        return { name, now, previous: options.compare ? await this.#before(q, now, limit) : null };
      }),
    );
    const previous = answers.flatMap(({ name, previous: one }) => (one === null ? [] : [[name, one] as const]));
    return {
      state: 'ready',
      queries: Object.fromEntries(answers.map(({ name, now }) => [name, now])),
      previous: previous.length > 0 && previous.length === answers.length ? Object.fromEntries(previous) : null,
    };
  }

  /** The answer over the time before: the query's own comparison, or else the same query over the period before. */
  async #before(q: string, now: Envelope, limit: number): Promise<Envelope | null> {
    const own = comparedBefore(now);
    if (own !== null) return own;
    const before = previousQuery(q, now);
    return before === null ? null : this.#answer(before, limit);
  }

  #expand(template: Card['queries'][number]['template']): string {
    return expandQuery(this.#dashboard.variables, template, this.#values).text;
  }

  /** Equal queries are sent once. */
  #answer(q: string, limit: number): Promise<Envelope> {
    const key = `${limit} ${q}`;
    const before = this.#answers.get(key);
    if (before !== undefined) return before;
    const { timezone } = this.#dashboard;
    const { signal } = this.#stop;
    const answer = this.#queue.add(() => this.#ask({ q, timezone, limit }, signal), { signal });
    this.#answers.set(key, answer);
    return answer;
  }
}

/** Every card of a dashboard at this moment. Rejects for failures that concern all cards. */
export async function runDashboard(parts: {
  dashboard: Dashboard;
  values: Values;
  ask: AskCard;
}): Promise<DashboardData> {
  const { dashboard, values } = parts;
  const at = new Date().toISOString();
  const run = new DashboardRun(parts);
  try {
    const cards = dashboard.sections.flatMap((section) => section.cards);
    const data = await Promise.all(cards.map(async (card) => [card.id, await run.card(card)] as const));
    return { dashboard, values, at, cards: Object.fromEntries(data) };
  } finally {
    run.stop(); // after a failure that concerns all, the others need not go on
  }
}

function optionOf(cell: unknown): string[] {
  if (typeof cell === 'string') return cell === '' || cell.length > MAX_FOUND_LENGTH ? [] : [cell];
  return typeof cell === 'number' || typeof cell === 'boolean' ? [String(cell)] : [];
}

/**
 * The same query over the period before, by the range of its answer: for `last 7d` the 7 days before, for `this month` the same
 * days of the month before, for dates as many days before. null for `all`.
 */
export function previousQuery(q: string, { range }: Pick<Envelope, 'range'>): string | null {
  const stage = parse(q).stages.find((one) => one.kind === 'range');
  const before = shifted(stage?.range ?? null, range);
  if (before === null) return null;
  const replaced = `from "${before.from}" to "${before.to}"`;
  if (stage === undefined) return `${q}\n| ${replaced}`; // on a line of its own: the query may end in a comment
  const next = lex(q).find(({ start, ...token }) => start > stage.start && 'symbol' in token && token.symbol === '|');
  return `${q.slice(0, stage.start)}${replaced}${next === undefined ? '' : ` ${q.slice(next.start)}`}`;
}

/** What a query that compares by itself found in its earlier range, under the names of its metrics; null: it does not compare. */
function comparedBefore(answer: Envelope): Envelope | null {
  const compared = answer.column_types.filter(
    ({ name, role }) => role === 'metric' && answer.columns.includes(`${name}_previous`),
  );
  if (compared.length === 0) return null;
  const before = (row: Envelope['rows'][number]): Envelope['rows'][number] => ({
    ...row,
    ...Object.fromEntries(compared.map(({ name }) => [name, row[`${name}_previous`]])),
  });
  return { ...answer, rows: answer.rows.map(before) };
}

type Shift = { readonly months: number } | { readonly days: number };

/** Times as the language reads them; without an offset they are in the query's zone. */
function shifted(node: RangeNode | null, { from, to }: Envelope['range']): { from: string; to: string } | null {
  if (node === null || node.kind === 'last') {
    const [start, length] = [Date.parse(from), Date.parse(to) - Date.parse(from)];
    return { from: new Date(start - length).toISOString(), to: new Date(start).toISOString() };
  }
  const shift = shiftOf(node, wallClock(to) - wallClock(from));
  return shift === null ? null : { from: moved(from, shift), to: moved(to, shift) };
}

function shiftOf(node: Exclude<RangeNode, { kind: 'last' }>, length: number): Shift | null {
  if (node.kind === 'all') return null;
  if (node.kind === 'from') return { days: Math.max(1, Math.ceil(length / DAY_MS)) };
  if (node.kind !== 'this') return { days: 1 };
  return node.unit === 'week' ? { days: 7 } : { months: { month: 1, quarter: 3, year: 12 }[node.unit] };
}

/** A time without its offset, in milliseconds as if it were UTC: days of 23 and 25 hours count as 24. */
function wallClock(time: string): number {
  return Date.parse(`${time.slice(0, 23)}Z`);
}

function moved(time: string, shift: Shift): string {
  const clock = wallClock(time);
  const before = 'days' in shift ? clock - shift.days * DAY_MS : addMonths(clock, -shift.months);
  return new Date(before).toISOString().slice(0, 23);
}
