/** Passes on what writers tell of usage, from before there is a listener too. */
import type { UsageDay } from '../shards/writer-messages.ts';
import type { UsageTotals } from './event-store.ts';

export class UsageTeller {
  #listener: ((totals: UsageTotals) => void) | null = null;
  readonly #unheard: UsageTotals[] = [];

  listen(listener: (totals: UsageTotals) => void): void {
    this.#listener = listener;
    for (const totals of this.#unheard.splice(0)) listener(totals);
  }

  tell(day: UsageDay): void {
    const totals = totalsOf(day);
    if (this.#listener) this.#listener(totals);
    else this.#unheard.push(totals);
  }
}

function totalsOf({ project, date, counts, bytes }: UsageDay): UsageTotals {
  const { ingested, stored, rejected, duplicate, dropped, trimmed, idsIgnored } = counts;
  return {
    ...{ project, date, eventsIngested: ingested, eventsStored: stored, eventsRejected: rejected },
    ...{ eventsDuplicate: duplicate, eventsDropped: dropped, valuesTrimmed: trimmed, idsIgnored, bytesStored: bytes },
  };
}
