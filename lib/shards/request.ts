/** What is known of a request before its body is read. */

/**
 * The rules for reading a body. They get a new number with every change of what a body means: the journal keeps bodies, and
 * replays each under the rules by which it was acknowledged. 2: blank ids and event types count as missing, and events of a
 * server say nothing about a person's browser and location.
 */
export const INGEST_RULES = 2;

/** For records that name none: written before rules had numbers. */
export const FIRST_INGEST_RULES = 1;

/** Where a request came from. */
export interface RequestContext {
  /** When the request arrived, milliseconds since the epoch: the server's time of its events. */
  readonly receivedAt: number;
  /** Trusted keys (`sk_`, `aat_`) are for servers: events may set `ip` and `user_agent`, and get nothing from the request. */
  readonly keyKind: 'public' | 'trusted';
  readonly ip: string | null;
  readonly userAgent: string | null;
  /** Location from trusted proxy headers; null: from the ip, if a database is configured. */
  readonly place: Location | null;
  /** The device of events and identifies that name none; if omitted, they have none. */
  readonly device?: string;
  /** The rules for reading its body; if omitted, the current ones. */
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
