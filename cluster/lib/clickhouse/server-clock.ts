/** What time it is in ClickHouse, so that an insert can say until when it may begin. */
import { monotonic } from '../../../lib/seam.ts';
import type { ClickHouse } from './client.ts';

export class ServerClock {
  readonly #clickHouse: Pick<ClickHouse, 'query'>;
  /** What ClickHouse's clock showed, and when its answer was here. */
  #known: { readonly told: number; readonly here: number } | null = null;
  #asking: Promise<void> | null = null;

  constructor(clickHouse: Pick<ClickHouse, 'query'>) {
    this.#clickHouse = clickHouse;
  }

  /** Resolves when the time is known. Rejects with AppError if ClickHouse does not say it. */
  sync(): Promise<void> {
    // How old what is known may be: somebody may set a clock.
    if (this.#known !== null && monotonic() - this.#known.here < 5_000) return Promise.resolve();
    return (this.#asking ??= this.#ask().finally(() => (this.#asking = null)));
  }

  /**
   * What ClickHouse's clock shows at a moment of the monotonic clock, or a little less: the answer took its time. Still less if
   * this machine slept since. Call `sync` before.
   */
  at(moment: number): number {
    if (this.#known === null) throw new Error('the time is not known');
    return Math.floor(this.#known.told + moment - this.#known.here);
  }

  async #ask(): Promise<void> {
    const { rows } = await this.#clickHouse.query({ sql: 'SELECT toUnixTimestamp64Milli(now64(3))' }, { time: 5_000 });
    this.#known = { told: Number(rows[0]?.[0]), here: monotonic() };
  }
}
