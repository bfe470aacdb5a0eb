/** Daily counters of a project, absolute for the day (UTC): telling them twice does no harm. With `isMore` to be added to it. */
export interface UsageTotals {
  readonly project: string;
  readonly date: string; // YYYY-MM-DD of arrival
  readonly eventsIngested: number;
  readonly eventsStored: number;
  readonly eventsRejected: number;
  readonly eventsDuplicate: number;
  readonly eventsDropped: number;
  readonly timesReplaced: number;
  readonly fieldsIgnored: number;
  readonly valuesTrimmed: number;
  readonly idsIgnored: number;
  readonly bytesStored: number; // size of the shard when it was last sealed
  /** Until the next report without it: the counters come on top of the last, which `bytesStored` does not replace. */
  readonly isMore?: boolean;
  /** Of several nodes, which may write late what they read early: a smaller counter is an older one. */
  readonly onlyGrows?: boolean;
}
