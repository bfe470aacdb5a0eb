import type { UsageDay } from '../shards/writer-messages.ts';
import type { UsageTotals } from './event-store.ts';

/** A day as a writer tells it → as the store tells it. */
export function totalsOf({ project, date, counts, bytes }: UsageDay): UsageTotals {
  const { ingested, stored, rejected, duplicate, dropped, trimmed, idsIgnored } = counts;
  return {
    ...{ project, date, eventsIngested: ingested, eventsStored: stored, eventsRejected: rejected },
    ...{ eventsDuplicate: duplicate, eventsDropped: dropped, valuesTrimmed: trimmed, idsIgnored, bytesStored: bytes },
  };
}
