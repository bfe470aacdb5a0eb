/** What is known of a request before its body is read. */

/**
 * The rules for reading a body. They get a new number with every change of what a body means: the journal keeps bodies, and
 * replays each under the rules by which it was acknowledged. 2: blank ids and event types count as missing, and events of a
 * server say nothing about a person's browser and location. 3: a sender's clock that is off by more than a day is not used, further
 * words stand for no device or session, and changes of profiles are dated. (A time that only later rules can read is read, not
 * replaced, whatever the rules of its body: that loses nothing.) 4: servers may state what is derived otherwise. 5: and of which import
 * an event is.
 */
export const INGEST_RULES = 5;

/** The first that date changes of profiles. */
export const RULES_OF_TIMES = 3;

/** The first under which servers may state what they know of their clients. */
export const RULES_OF_STATEMENTS = 4;

/** The first under which they may name an import. */
export const RULES_OF_IMPORTS = 5;

/** For records that name none: written before rules had numbers. */
export const FIRST_INGEST_RULES = 1;

/** Where a request came from. */
export interface RequestContext {
  /** When the request arrived, milliseconds since the epoch: the server's time of its events. */
  readonly receivedAt: number;
  /** Trusted keys (`sk_`, `aat_`) are for servers: events may set `ip`, `user_agent` and what these tell, and get nothing from the request. */
  readonly keyKind: 'public' | 'trusted';
  readonly ip: string | null;
  readonly userAgent: string | null;
  /** Whether events with a public key may state their user agent, system and device: what an app alone knows of itself. */
  readonly ofApps?: boolean;
  /** What the browser says besides; omitted if nothing. */
  readonly hints?: ClientHints;
  /** GeoLocation from trusted proxy headers; null: from the ip, if a database is configured. */
  readonly place: GeoLocation | null;
  /** The device of events and identifies that name none; if omitted, they have none. */
  readonly device?: string;
  /** Whether what would be replaced or dropped rejects its event; if omitted, not. */
  readonly strict?: boolean;
  /** The rules for reading its body; if omitted, the current ones. */
  readonly rules?: number;
}

/** User-agent client hints, as their headers have them but for the quotes around texts. */
export interface ClientHints {
  /** `Sec-CH-UA`: a list of `"Brave";v="131"`. */
  readonly brands?: string;
  /** `?1` or `?0`. */
  readonly mobile?: string;
  readonly platform?: string;
  readonly platformVersion?: string;
  readonly model?: string;
}

export interface GeoLocation {
  readonly country?: string;
  readonly region?: string;
  readonly city?: string;
  readonly continent?: string;
  readonly timezone?: string;
  readonly latitude?: string;
  readonly longitude?: string;
}
