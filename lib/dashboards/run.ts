/** The answers to a dashboard's queries for one set of values. Runs in pages as well as in `wl`. */
import PQueue from 'p-queue';
import type { Annotation, Card, Dashboard, Values, Variable } from './dashboard.ts';
import { comparedRange, comparing } from './comparison.ts';
import type { CardData, DashboardData, Envelope } from './data.ts';
import { expandQuery } from './expand.ts';
import { Behind } from './behind.ts';
import { MAX_FOUND_LENGTH } from './values.ts';

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

/** The annotations of the project. Rejects with AskError. */
export type ProjectAnnotations = () => Promise<readonly Annotation[]>;

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
  readonly annotations?: ProjectAnnotations;
}

const none = (): Promise<[]> => Promise.resolve([]);

export class DashboardRun {
  readonly #dashboard: Dashboard;
  readonly #values: Values;
  readonly #ask: AskCard;
  readonly #cohorts: CohortNames;
  readonly #annotations: ProjectAnnotations;
  readonly #queue = new PQueue({ concurrency: 8 }); // a server's default for queries of one project at once
  readonly #answers = new Map<string, Promise<Envelope>>();
  readonly #behind = new Map<string, Behind>();
  readonly #stop = new AbortController();

  /** The values must be checked. `cohorts`: for the options of variables. Of what is left out there is none. */
  constructor({ dashboard, values, ask, cohorts = none, annotations = none }: RunParts) {
    this.#dashboard = dashboard;
    this.#values = values;
    this.#ask = ask;
    this.#cohorts = cohorts;
    this.#annotations = annotations;
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

  /** The queries of a card as they are asked, by name. */
  asked(card: Card): readonly { readonly name: string; readonly q: string }[] {
    return card.queries.map((query) => {
      const q = this.#expand(query.template);
      return { name: query.name, q: isCompared(card, query) ? comparing(q) : q };
    });
  }

  /** What is behind the parts of the answer to a card's query. */
  behind({ queries }: Card, name: string): Behind | null {
    const query = queries.find((one) => one.name === name);
    if (query === undefined) return null;
    const q = this.#expand(query.template);
    const known = this.#behind.get(q) ?? new Behind(q, this.#dashboard.timezone);
    this.#behind.set(q, known);
    return known;
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

  /** Those of the file and of the project. Rejects as their source does. */
  async annotations(): Promise<readonly Annotation[]> {
    return [...(this.#dashboard.annotations ?? []), ...(await this.#annotations())];
  }

  /** Cancels running and waiting queries. */
  stop(): void {
    this.#stop.abort(); // this also rejects what waits in the queue
  }

  async #ready(card: Card): Promise<CardData> {
    const { queries, limit } = card;
    const answers = queries.map(async (query) => {
      const q = this.#expand(query.template);
      return [query.name, await (isCompared(card, query) ? this.#compared(q, limit) : this.#answer(q, limit))] as const;
    });
    return { state: 'ready', queries: Object.fromEntries(await Promise.all(answers)) };
  }

  /** The answer with the earlier values of its metrics, if the project had events then. */
  async #compared(q: string, limit: number): Promise<Envelope> {
    const compared = comparing(q);
    const answer = await this.#answer(compared, limit);
    const before = compared === q ? null : comparedRange(answer);
    return before === null || (await this.#hasEventsBefore(before.from)) ? answer : this.#answer(q, limit);
  }

  /**
   * Whether the project had events before a time, RFC 3339, to the minute. A change from a time that
   * had no events yet, or only later ones, is none. Cards that look at about the same time ask once.
   */
  async #hasEventsBefore(time: string): Promise<boolean> {
    const minute = `${time.slice(0, 16)}:00${time.slice(23)}`;
    const { rows } = await this.#answer(`* | from "1970-01-01T00:00:00Z" to "${minute}" | list`, 1);
    return rows.length > 0;
  }

  #expand(template: Card['queries'][number]['template']): string {
    return expandQuery(this.#dashboard.variables, template, this.#values).text;
  }

  /** Equal queries are sent once, but again after a failure. */
  #answer(q: string, limit: number): Promise<Envelope> {
    const key = `${limit} ${q}`;
    const before = this.#answers.get(key);
    if (before !== undefined) return before;
    const { timezone } = this.#dashboard;
    const { signal } = this.#stop;
    const answer = this.#queue.add(() => this.#ask({ q, timezone, limit }, signal), { signal });
    this.#answers.set(key, answer);
    answer.catch(() => this.#answers.delete(key)); // whoever asked is told
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

/** A small line below a number shows its own past. */
const isCompared = ({ options }: Card, { name }: Card['queries'][number]): boolean =>
  options.compare && name !== options.sparkline;

function optionOf(cell: unknown): string[] {
  if (typeof cell === 'string') return cell === '' || cell.length > MAX_FOUND_LENGTH ? [] : [cell];
  return typeof cell === 'number' || typeof cell === 'boolean' ? [String(cell)] : [];
}
