/** What waited in memory and is being written. */
export interface FlushedRows {
  /** Inside a transaction of the caller. */
  write(): Promise<void>;
  /** It was not written: it waits again, behind whatever came meanwhile. */
  putBack(): void;
}

/** By key: two nodes that write the same rows in different orders would wait for each other. */
export function inKeyOrder<Row>(rows: ReadonlyMap<string, Row>): (readonly [key: string, row: Row])[] {
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Writes what is pending within a second of `schedule`, and retries while it fails; reports the first failure in a row. */
export class Flusher {
  readonly #write: () => Promise<void>;
  readonly #onError: (error: unknown) => void;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> = Promise.resolve();
  #failing = false;

  constructor(write: () => Promise<void>, onError: (error: unknown) => void) {
    this.#write = write;
    this.#onError = onError;
  }

  /** Resolves when everything that is pending now is written: one after the other, so that no older counters win. */
  flush(): Promise<void> {
    const done = this.#running.then(this.#write);
    this.#running = done.catch(() => undefined); // whoever called is told
    return done;
  }

  schedule(): void {
    // How long counters wait in memory, ms; usage must be visible within 5 s.
    this.#timer ??= setTimeout(() => void this.#run(), 1000).unref();
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  async #run(): Promise<void> {
    this.#timer = null;
    try {
      await this.flush();
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) this.#onError(error);
      this.#failing = true;
      this.schedule();
    }
  }
}

/** When tokens or sessions were last used, as far as that waits to be written. */
export class LastUses {
  readonly #flusher: Pick<Flusher, 'schedule'>;
  readonly #write: (key: string, at: number) => Promise<void>;
  #used = new Map<string, number>();

  /** @param write Called inside a transaction. */
  constructor(flusher: Pick<Flusher, 'schedule'>, write: (key: string, at: number) => Promise<void>) {
    this.#flusher = flusher;
    this.#write = write;
  }

  note(key: string, at: number): void {
    this.#used.set(key, at);
    this.#flusher.schedule();
  }

  takeNews(): FlushedRows[] {
    const used = this.#used;
    if (used.size === 0) return [];
    this.#used = new Map();
    const write = async (): Promise<void> => {
      for (const [key, at] of inKeyOrder(used)) await this.#write(key, at);
    };
    return [{ write, putBack: () => (this.#used = new Map([...used, ...this.#used])) }];
  }
}
