/** What is known of a request before its body is read. */

/** Where a request came from. */
export interface RequestContext {
  /** When the request arrived, milliseconds since the epoch: the server's time of its events. */
  readonly receivedAt: number;
  /** Trusted keys (`sk_`, `aat_`) may set `ip` and `user_agent` of an event. */
  readonly keyKind: 'public' | 'trusted';
  readonly ip: string | null;
  readonly userAgent: string | null;
  /** Place from trusted proxy headers; null: from the ip, where a database is configured. */
  readonly place: Place | null;
}

export interface Place {
  readonly country?: string;
  readonly region?: string;
  readonly city?: string;
  readonly continent?: string;
  readonly timezone?: string;
  readonly latitude?: string;
  readonly longitude?: string;
}
