/** Whether query threads work: each is given a small task again and again, billed to nobody. */
import { monotonic } from '../../base/monotonic.ts';

/** Milliseconds between two rounds, and for an answer: a busy thread lets others in much sooner. */
const EVERY = 10_000;

export interface Probed {
  /** Resolves when every thread has answered; rejects with the first that could not. `deadline`: in ms of `monotonic()`. */
  probe(deadline: number): Promise<void>;
}

export interface ThreadProbeOptions {
  readonly threads: Probed;
  readonly onTrouble: (error: unknown, what: string) => void;
  /** Milliseconds between two rounds, for tests. */
  readonly every?: number;
}

export class ThreadProbe {
  readonly #options: ThreadProbeOptions;
  readonly #timer: NodeJS.Timeout;
  #asking = false;
  #failed = false;

  constructor(options: ThreadProbeOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#ask(), options.every ?? EVERY).unref();
  }

  /** Why queries cannot be answered; null: they can, as far as is known. */
  get failure(): string | null {
    return this.#failed ? 'Queries cannot be answered at the moment.' : null;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #ask(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    try {
      await this.#options.threads.probe(monotonic() + EVERY);
      this.#failed = false;
    } catch (error) {
      if (!this.#failed) this.#options.onTrouble(error, 'a query thread does not work');
      this.#failed = true;
    } finally {
      this.#asking = false;
    }
  }
}
