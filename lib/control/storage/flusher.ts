/** How long counters wait in memory, ms; usage must be visible within 5 s. */
const INTERVAL_MS = 1000;

/** Writes what is pending within a second of `schedule`, and retries while it fails; reports the first failure in a row. */
export class Flusher {
  /** Writes now. */
  readonly flush: () => void;
  readonly #onError: (error: unknown) => void;
  #timer: NodeJS.Timeout | null = null;
  #failing = false;

  constructor(flush: () => void, onError: (error: unknown) => void) {
    this.flush = flush;
    this.#onError = onError;
  }

  schedule(): void {
    this.#timer ??= setTimeout(() => this.#run(), INTERVAL_MS).unref();
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #run(): void {
    this.#timer = null;
    try {
      this.flush();
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) this.#onError(error);
      this.#failing = true;
      this.schedule();
    }
  }
}
