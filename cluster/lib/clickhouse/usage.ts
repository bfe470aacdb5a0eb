/** Counters by project and day, added up over all nodes in ClickHouse. */
import { randomUUID } from 'node:crypto';
import { addCounts, COUNTERS, type Counts, noCounts, type UsageTotals, usageTotals } from '../../../lib/seam.ts';
import type { ClickHouse } from './client.ts';
import { EVENTS, USAGE } from './schema.ts';

/** Milliseconds. */
const TIME = 10_000;

/** What this process has counted of a project's day. */
interface Day {
  readonly project: string;
  readonly date: string;
  /** Nobody else's, so that its rows replace only each other. */
  readonly counter: string;
  readonly counts: Counts;
  /** Of the last row that was sent. */
  version: number;
  /** Whether a row has all of the counts, and the listener the totals. */
  stored: boolean;
}

/** A row of the table. */
export function usageRow({ project, date, counter, version, counts }: Omit<Day, 'stored'>): string {
  return `${JSON.stringify([project, date, counter, version, ...COUNTERS.map((name) => counts[name])])}\n`;
}

export class Usage {
  readonly #clickHouse: ClickHouse;
  readonly #onTrouble: (error: unknown, what: string) => void;
  /** By project and date. */
  readonly #days = new Map<string, Day>();
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
    const day = this.#days.get(key) ?? { project, date, counter: randomUUID(), counts: noCounts(), version: 0, stored: false }; // prettier-ignore
    addCounts(day.counts, counts);
    day.stored = false;
    this.#days.set(key, day);
    this.#wait();
  }

  /** Stores what waits, and tells the listener the new totals. What cannot be stored waits for the next time. */
  tell(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    return (this.#telling = this.#telling.then(() => this.#tell()));
  }

  #wait(): void {
    // How long counters wait to be stored and told, milliseconds. A node that is killed loses those that wait.
    this.#timer ??= setTimeout(() => void this.tell(), 1_000);
  }

  async #tell(): Promise<void> {
    const days = [...this.#days.values()].filter(({ stored }) => !stored);
    if (days.length === 0) return;
    for (const day of days) {
      day.version++;
      day.stored = true; // unless more comes meanwhile
    }
    try {
      await this.#clickHouse.insert(USAGE, Buffer.from(days.map(usageRow).join('')), { time: TIME });
      await this.#tellTotals(days);
    } catch (error) {
      for (const day of days) day.stored = false; // also where they were only not told: a row with the same counts does no harm
      this.#wait();
      this.#onTrouble(error, 'counters of usage could not be stored and told; they will be tried again');
      return;
    }
    this.#forget();
  }

  /** The oldest first, as a day ends. */
  #forget(): void {
    for (const [key, { stored }] of this.#days) {
      // Stored days of projects that are kept in memory, 300 bytes each; one that is forgotten gets another counter.
      if (this.#days.size <= 50_000) return;
      if (stored) this.#days.delete(key);
    }
  }

  async #tellTotals(days: readonly Day[]): Promise<void> {
    const sums = USAGE.columns.slice(4).map(([name]) => `sum(${name})`);
    const sql = `SELECT project, toString(date), ${sums.join(', ')} FROM ${USAGE.name} FINAL
      WHERE project IN {projects:Array(String)} AND date IN {dates:Array(Date)} GROUP BY project, date`;
    const params = { projects: [...new Set(days.map(({ project }) => project))], dates: [...new Set(days.map(({ date }) => date))] }; // prettier-ignore
    const [{ rows }, bytes] = await Promise.all([
      this.#clickHouse.query({ sql, params }, { time: TIME }),
      this.#bytesOf(params.projects),
    ]);
    for (const [project, date, ...sum] of rows) {
      const counts = noCounts();
      for (const [i, name] of COUNTERS.entries()) counts[name] = Number(sum[i]);
      const of = { project: String(project), date: String(date) };
      this.#listener({ ...usageTotals({ ...of, counts, bytes: bytes.get(of.project) ?? 0 }), onlyGrows: true });
    }
  }

  /**
   * Projects share their files, so each has as many bytes as that many events of the server take on the average. A projection has
   * the numbers of events.
   */
  async #bytesOf(projects: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const average = `SELECT sum(total_bytes) / sum(total_rows) FROM system.tables
      WHERE database = currentDatabase() AND name IN ('${EVENTS.name}', '${EVENTS.name}_local')`;
    const sql = `SELECT project, ceil(count() * (${average})) FROM ${EVENTS.name}
      WHERE project IN {projects:Array(String)} GROUP BY project`;
    const { rows } = await this.#clickHouse.query({ sql, params: { projects } }, { time: TIME });
    return new Map(rows.map(([project, bytes]) => [String(project), Number(bytes)]));
  }
}
