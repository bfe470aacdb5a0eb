import type { UsageDay } from '../writer-messages.ts';

/** The counters of a project and day, under the names used by the other layers. */
export function usageTotals({ project, date, counts, bytes, isMore }: UsageDay) {
  const { ingested, stored, rejected, duplicate, dropped, trimmed, idsIgnored, timesReplaced, fieldsIgnored } = counts;
  return {
    ...{ project, date, eventsIngested: ingested, eventsStored: stored, eventsRejected: rejected },
    ...{ eventsDuplicate: duplicate, eventsDropped: dropped, timesReplaced, fieldsIgnored, valuesTrimmed: trimmed },
    ...{ idsIgnored, bytesStored: bytes },
    ...(isMore === true ? { isMore } : {}),
  };
}
