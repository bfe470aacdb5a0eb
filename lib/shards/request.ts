/** What is known of a request before its body is read. */

/**
 * The rules by which a body is read. They grow with every change of what a body means: the journal keeps bodies, and what was
 * acknowledged under earlier rules is replayed under these. 2: blank ids and event types are none, and events of a server say
 * nothing of a person's browser and place.
 */
export const INGEST_RULES = 2;

/** Of records that name none: they were written before rules had numbers. */
export const FIRST_INGEST_RULES = 1;

/** Where a request came from. */
export interface RequestContext {
  /** When the request arrived, milliseconds since the epoch: the server's time of its events. */
  readonly receivedAt: number;
  /** Trusted keys (`sk_`, `aat_`) are a server's: their events may set `ip` and `user_agent`, and get nothing of the request. */
  readonly keyKind: 'public' | 'trusted';
  readonly ip: string | null;
  readonly userAgent: string | null;
  /** Location from trusted proxy headers; null: from the ip, where a database is configured. */
  readonly place: Location | null;
  /** The device of events and identifies that name none; left out: they have none. */
  readonly device?: string;
  /** The rules that its body is read by; left out: today's. */
  readonly rules?: number;
}

export interface Location {
  readonly country?: string;
  readonly region?: string;
  readonly city?: string;
  readonly continent?: string;
  readonly timezone?: string;
  readonly latitude?: string;
  readonly longitude?: string;
}
