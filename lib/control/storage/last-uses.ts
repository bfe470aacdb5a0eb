import type { Batch, Flusher } from './flusher.ts';

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

  takeNews(): Batch[] {
    const used = this.#used;
    if (used.size === 0) return [];
    this.#used = new Map();
    const write = async (): Promise<void> => {
      for (const [key, at] of used) await this.#write(key, at);
    };
    return [{ write, putBack: () => (this.#used = new Map([...used, ...this.#used])) }];
  }
}
