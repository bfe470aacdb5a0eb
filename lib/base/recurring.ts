interface Options {
  /** Milliseconds. */
  readonly every: number;
  readonly act: () => Promise<unknown>;
  readonly onTrouble: (error: unknown) => void;
}

/** Something that is done again and again, never twice at a time; of failures in a row only the first is told. */
export class Recurring {
  readonly #options: Options;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #failing = false;

  constructor(options: Options) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => void this.run(), this.#options.every).unref();
  }

  /** Never rejects: what fails is tried again. */
  run(): Promise<void> {
    return (this.#running ??= this.#act().finally(() => (this.#running = null)));
  }

  /** Resolves when the running one is done. */
  async close(): Promise<void> {
    this.stop();
    await this.#running;
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  async #act(): Promise<void> {
    try {
      await this.#options.act();
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) this.#options.onTrouble(error);
      this.#failing = true;
    }
  }
}
