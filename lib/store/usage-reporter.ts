/** Passes on the usage that writers report, including reports from before there is a listener. */
import { usageTotals } from '../shards/writer/usage-totals.ts';
import type { UsageDay } from '../shards/writer-messages.ts';
import type { UsageTotals } from './event-store.ts';

export class UsageReporter {
  #listener: ((totals: UsageTotals) => void) | null = null;
  readonly #unheard: UsageTotals[] = [];

  listen(listener: (totals: UsageTotals) => void): void {
    this.#listener = listener;
    for (const totals of this.#unheard.splice(0)) listener(totals);
  }

  tell(day: UsageDay): void {
    const totals = usageTotals(day);
    if (this.#listener) this.#listener(totals);
    else this.#unheard.push(totals);
  }
}
