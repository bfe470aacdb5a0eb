/** A stored field, named by its column (`_browser`, `_country`, …), and its text, never empty. */
export type EnrichedText = readonly [column: string, text: string];

/**
 * The fields that every event of one request gets, computed once per request. An event with its own `ip` or `user_agent` from a
 * trusted sender gets other fields (`enrichEvent`).
 */
export interface Enriched {
  /** For events of a client: browser, device, location, `_ip`, `_ua`. */
  readonly client: readonly EnrichedText[];
  /** For events from a server that name no origin: the request is the server's and says nothing about the person. */
  readonly unknown: readonly EnrichedText[];
  /** For events of origin `server`: no browser, device or location either. */
  readonly server: readonly EnrichedText[];
}
