/** Whether query threads work: each is asked something small that is billed to nobody, again and again. */
import { monotonic } from '../../base/monotonic.ts';

/** Milliseconds between two rounds, and that an answer may take: a thread that is at work lets others in much sooner. */
const EVERY = 10_000;
const PATIENCE = 10_000;

export interface Probed {
  /** Resolves when every thread has done it; rejects with the first that could not. `deadline`: milliseconds since the epoch. */
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
      await this.#options.threads.probe(monotonic() + PATIENCE);
      this.#failed = false;
    } catch (error) {
      if (!this.#failed) this.#options.onTrouble(error, 'a query thread does not work');
      this.#failed = true;
    } finally {
      this.#asking = false;
    }
  }
}
