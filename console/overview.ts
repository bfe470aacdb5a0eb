/** What is in a project: fetched when its overview opens, and again while the page is visible. */
import { latestEvents, showEvents } from '../public/console/latest-events.js';
import { showProblem } from '../public/console/page.js';
import { focusHeading } from '../public/console/regions.js';
import { dayBars } from './day-bars.ts';
import { find, made } from './element.ts';
import { fragmentOf } from './fragment-question.ts';
import { Questions, type Answer } from './questions.ts';
import { quote } from '../lib/dsl/parse/lex-string.ts';

const LATEST_EVERY_MS = 5_000;
const ALL_EVERY_MS = 60_000;
const WATCHED_MS = 10 * 60_000;
const PATIENCE_MS = 30_000;

const BY_DAY = '* | count, unique by day | last 30d';
const TOTALS = '* | count, unique | last 30d';
const TOP = '* | count, unique by event_type | top 10 | last 30d';

class Overview {
  readonly #place: HTMLElement;
  readonly #questions: Questions;
  readonly #problem: HTMLElement;
  readonly #again: HTMLButtonElement;

  constructor(place: HTMLElement) {
    this.#place = place;
    this.#questions = new Questions(place.dataset['api'] ?? '');
    this.#problem = find(place, '[data-trouble]', HTMLElement);
    this.#again = find(place, 'button[data-again]', HTMLButtonElement);
  }

  start(): void {
    this.#place.hidden = false;
    this.#again.addEventListener('click', () => {
      focusHeading(this.#place); // the button hides
      void this.#watch();
    });
    void this.#watch();
  }

  /** Fetches for ten minutes while the page is visible; then a button continues. */
  async #watch(): Promise<void> {
    const until = Date.now() + WATCHED_MS;
    let all = 0;
    this.#again.hidden = true;
    showProblem(this.#problem, null);
    try {
      for (; Date.now() < until; await pause(LATEST_EVERY_MS)) {
        if (document.hidden) continue;
        if (Date.now() >= all) {
          all = Date.now() + ALL_EVERY_MS;
          await this.#showAll();
        }
        await this.#showLatest();
      }
    } catch (error) {
      showProblem(this.#problem, error);
    }
    this.#again.hidden = false;
  }

  async #showAll(): Promise<void> {
    const [days, totals, top] = await Promise.all([BY_DAY, TOTALS, TOP].map((q) => this.#ask(q)));
    if (days === undefined || totals === undefined || top === undefined) return;
    this.#fill('[data-days]', dayBars(days));
    this.#figure('events', totals.rows[0]?.['count']);
    this.#figure('users', totals.rows[0]?.['unique']);
    this.#figure('events-today', days.rows.at(-1)?.['count']);
    this.#figure('users-today', days.rows.at(-1)?.['unique']);
    this.#fill('[data-top]', top.rows.length > 0 ? top.rows.map((row) => this.#event(row)) : [none(3)]);
  }

  async #showLatest(): Promise<void> {
    const rows = await latestEvents(`${this.#place.dataset['api'] ?? ''}/query`, '30d');
    const place = find(this.#place, '[data-latest]', HTMLElement);
    if (rows.length > 0) showEvents(place, rows);
    else place.replaceChildren(none(4));
  }

  #ask(q: string): Promise<Answer> {
    return this.#questions.answer({ q, offset: 0 }, AbortSignal.timeout(PATIENCE_MS));
  }

  #figure(name: string, value: unknown): void {
    const text = typeof value === 'number' ? value.toLocaleString() : '0';
    find(this.#place, `[data-figure="${name}"]`, HTMLElement).textContent = text;
  }

  /** Focused content stays until the next update. */
  #fill(selector: string, content: readonly HTMLElement[]): void {
    const place = find(this.#place, selector, HTMLElement);
    if (!place.contains(document.activeElement)) place.replaceChildren(...content);
  }

  /** A row whose name links to a query about it. */
  #event(row: Readonly<Record<string, unknown>>): HTMLElement {
    const name = String(row['event_type']);
    const head = made('th', '', { scope: 'row' });
    const question = `${quote(name)} | count, unique by day | last 30d`;
    head.append(made('a', name, { href: (this.#place.dataset['ask'] ?? '') + fragmentOf(question) }));
    const line = made('tr');
    line.append(head, ...['count', 'unique'].map((column) => made('td', Number(row[column]).toLocaleString(), { class: 'number' }))); // prettier-ignore
    return line;
  }
}

function none(columns: number): HTMLElement {
  const line = made('tr');
  line.append(made('td', 'Nothing in the last 30 days.', { colspan: String(columns), class: 'none' }));
  return line;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

const place = document.querySelector('[data-overview]');
if (place instanceof HTMLElement) new Overview(place).start();
