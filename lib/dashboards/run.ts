/** The answers to a dashboard's queries for one set of values. Runs in pages as well as in `wl`. */
import PQueue from 'p-queue';
import type { Card, Dashboard, Values, Variable } from './dashboard.ts';
import type { CardData, DashboardData, Envelope } from './data.ts';
import { expandQuery } from './expand.ts';
import { peopleQuery, type PeopleAsked } from './people.ts';
import { comparedBefore, previousQuery } from './previous.ts';
import { MAX_FOUND_LENGTH } from './values.ts';

/** A server's default for queries of one project at once. */
const MAX_AT_ONCE = 8;
/** The most options that a query may find. */
const MAX_FOUND = 1_000;

export interface CardQuestion {
  readonly q: string;
  /** null: the project's. */
  readonly timezone: string | null;
  /** Rows at most. */
  readonly limit: number;
}

/** Queries the server. Rejects with AskError for errors that a card shows. */
export type AskCard = (question: CardQuestion, signal: AbortSignal) => Promise<Envelope>;

/** Why there is no answer: a sentence, and what to do. */
export class AskError extends Error {
  readonly hint: string | null;

  constructor(message: string, hint: string | null = null) {
    super(message);
    this.name = 'AskError';
    this.hint = hint;
  }
}

export class DashboardRun {
  readonly #dashboard: Dashboard;
  readonly #values: Values;
  readonly #ask: AskCard;
  readonly #queue = new PQueue({ concurrency: MAX_AT_ONCE });
  readonly #answers = new Map<string, Promise<Envelope>>();
  readonly #stop = new AbortController();

  /** The values must be checked. */
  constructor({ dashboard, values, ask }: { dashboard: Dashboard; values: Values; ask: AskCard }) {
    this.#dashboard = dashboard;
    this.#values = values;
    this.#ask = ask;
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

  /** The query of who is behind a part of a card's answer; null: of nobody, or the card has several queries. */
  people({ queries }: Card, asked: Omit<PeopleAsked, 'timezone'>): string | null {
    const [only] = queries;
    if (only === undefined || queries.length > 1) return null;
    return peopleQuery(this.#expand(only.template), { ...asked, timezone: this.#dashboard.timezone });
  }

  /** The options of a select that a query finds, except those in the file. Rejects as `ask` does. */
  async options(variable: Variable): Promise<readonly { readonly value: string; readonly label: string }[]> {
    if (variable.kind !== 'select' || variable.source === null) return [];
    const { template, column } = variable.source;
    const { columns, rows } = await this.#answer(this.#expand(template), MAX_FOUND);
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
