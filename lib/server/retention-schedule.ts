/** Begins shorter retentions a day after they were asked for, whichever node is first. */
import type { ControlDatabase } from '../control/database.ts';
import { monotonic } from '../base/monotonic.ts';
import type { Log } from '../base/log.ts';

/** Milliseconds. */
const EVERY = 30_000;

interface Parts {
  readonly control: Pick<ControlDatabase, 'projects'>;
  readonly log: Log;
  /** Between two looks, milliseconds. */
  readonly every?: number;
  /** The clock that somebody may set, and the one that nobody does, for tests. */
  readonly now?: () => number;
  readonly since?: () => number;
}

export class RetentionSchedule {
  readonly #parts: Parts;
  readonly #started: number;
  readonly #since: () => number;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #failing = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { now = Date.now, since = monotonic } = parts;
    this.#since = since;
    this.#started = now() - since();
  }

  /** Begins what is due, and from then on looks regularly. */
  async watch(): Promise<void> {
    this.#timer = setInterval(() => void this.look(), this.#parts.every ?? EVERY).unref();
    await this.look();
  }

  /** Never rejects: what fails is tried again. */
  look(): Promise<void> {
    this.#running ??= this.#begin().finally(() => (this.#running = null));
    return this.#running;
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#running;
  }

  async #begin(): Promise<void> {
    const { control, log } = this.#parts;
    try {
      await control.projects.retention.begin(this.#now());
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) log.error({ err: error }, 'shorter retentions that are due cannot begin; it will be retried');
      this.#failing = true;
    }
  }

  /** Events that are gone do not come back, so a clock that is set forward while the service runs begins nothing early. */
  #now(): number {
    return Math.min((this.#parts.now ?? Date.now)(), this.#started + this.#since());
  }
}
