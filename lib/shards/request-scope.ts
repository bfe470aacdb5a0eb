/** One request while its events are taken: what holds for all of them, and what it has brought so far. */
import type { Binding } from './bindings.ts';
import type { EnrichedField, Enriched } from './enrich/enriched.ts';
import type { IngestOrigin, NormalIdentify } from './event.ts';
import type { PendingField } from './pending-field.ts';
import type { RequestContext } from './request.ts';
import { dateOf, noCounts } from './usage-counters.ts';

const DAY = 86_400_000;
/** Times further ahead of the server's clock are taken for the server's time. */
const MAX_AHEAD = DAY;

export interface ProfileChange {
  readonly person: number;
  readonly change: NormalIdentify;
  /** The moment of an identify; null for an event's user_properties. */
  readonly seen: number | null;
}

export interface FieldCode {
  readonly field: PendingField;
  readonly code: number;
}

export class RequestScope {
  readonly context: RequestContext;
  readonly enriched: Enriched;
  readonly date: string;
  readonly counts = noCounts();
  readonly profileChanges: ProfileChange[] = [];
  readonly bindings: Binding[] = [];
  firstArrival = 0;
  firstRow = 0;
  readonly #oldest: number;
  #codes: Partial<Record<IngestOrigin, readonly FieldCode[]>> = {};

  constructor(context: RequestContext, enriched: Enriched, retentionDays: number | null) {
    this.context = context;
    this.enriched = enriched;
    this.date = dateOf(context.receivedAt);
    this.#oldest = retentionDays === null ? -Infinity : context.receivedAt - retentionDays * DAY;
  }

  /** The time of an event that says `time` (NaN: nothing). */
  settleTime(time: number): number {
    const { receivedAt } = this.context;
    return time <= receivedAt + MAX_AHEAD ? time : receivedAt;
  }

  /** Whether an event of that time is older than the project keeps. */
  expired(time: number): boolean {
    return time < this.#oldest;
  }

  /** The request's own fields (browser, place, …) for events of an origin, looked up once. */
  fieldCodes(origin: IngestOrigin, lookUp: (fields: readonly EnrichedField[]) => readonly FieldCode[]): readonly FieldCode[] {
    return (this.#codes[origin] ??= lookUp(origin === 'server' ? this.enriched.serverFields : this.enriched.fields));
  }
}
