/** Counters by project and day, added up over all nodes in ClickHouse. */
import type { UsageTotals } from '../base/usage-totals.ts';
import { noCounts, type Counts } from '../shards/file/usage-counters.ts';
import { usageTotals } from '../shards/writer/usage-totals.ts';
import type { ClickHouse } from './client.ts';
import { USAGE } from './schema.ts';

/** How long counters wait to be stored and told, milliseconds. A node that is killed loses those that wait. */
const EVERY = 1_000;
/** Milliseconds. */
const TIME = 10_000;

const COUNTERS = ['ingested', 'stored', 'rejected', 'duplicate', 'dropped', 'trimmed', 'idsIgnored'] as const satisfies readonly (keyof Counts)[]; // prettier-ignore

interface Day {
  readonly project: string;
  readonly date: string;
  readonly counts: Counts;
}

export class Usage {
  readonly #clickHouse: ClickHouse;
  readonly #onTrouble: (error: unknown, what: string) => void;
  #waiting = new Map<string, Day>();
  #listener: (totals: UsageTotals) => void = () => undefined;
  #timer: NodeJS.Timeout | null = null;
  #telling: Promise<void> = Promise.resolve();

  constructor(clickHouse: ClickHouse, onTrouble: (error: unknown, what: string) => void) {
    this.#clickHouse = clickHouse;
    this.#onTrouble = onTrouble;
  }

  listen(listener: (totals: UsageTotals) => void): void {
    this.#listener = listener;
  }

  add(project: string, date: string, counts: Counts): void {
    const key = `${project} ${date}`;
    const day = this.#waiting.get(key) ?? { project, date, counts: noCounts() };
    for (const name of COUNTERS) day.counts[name] += counts[name];
    this.#waiting.set(key, day);
    this.#timer ??= setTimeout(() => void this.tell(), EVERY);
  }

  /** Stores what waits, and tells the listener the new totals. What cannot be stored waits for the next time. */
  tell(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    return (this.#telling = this.#telling.then(() => this.#tell()));
  }

  async #tell(): Promise<void> {
    const days = [...this.#waiting.values()];
    if (days.length === 0) return;
    this.#waiting = new Map();
    try {
      const rows = days.map(({ project, date, counts }) => JSON.stringify([project, date, ...COUNTERS.map((name) => counts[name])])); // prettier-ignore
      await this.#clickHouse.insert(USAGE, Buffer.from(`${rows.join('\n')}\n`), { time: TIME });
    } catch (error) {
      for (const { project, date, counts } of days) this.add(project, date, counts);
      this.#onTrouble(error, 'counters of usage could not be stored; they will be tried again');
      return;
    }
    await this.#tellTotals(days).catch((error: unknown) =>
      this.#onTrouble(error, 'counters of usage could not be read'),
    );
  }

  async #tellTotals(days: readonly Day[]): Promise<void> {
    const sums = USAGE.columns.slice(2).map(([name]) => `sum(${name})`);
    const sql = `SELECT project, toString(date), ${sums.join(', ')} FROM usage
      WHERE project IN {projects:Array(String)} AND date IN {dates:Array(Date)} GROUP BY project, date`;
    const params = { projects: [...new Set(days.map(({ project }) => project))], dates: [...new Set(days.map(({ date }) => date))] }; // prettier-ignore
    const { rows } = await this.#clickHouse.query({ sql, params }, { time: TIME });
    for (const [project, date, ...sum] of rows) {
      const counts = noCounts();
      for (const [i, name] of COUNTERS.entries()) counts[name] = Number(sum[i]);
      this.#listener(usageTotals({ project: String(project), date: String(date), counts, bytes: 0 }));
    }
  }
}
