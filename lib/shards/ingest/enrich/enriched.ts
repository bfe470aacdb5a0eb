/** What enrichment adds to an event beside what was sent. */
/** A field as it is stored, named by its column (`_browser`, `_country`, …), and its text, never empty. */
export type EnrichedField = readonly [column: string, text: string];

/**
 * The fields that every event of one request gets; computed once a request. An event that carries an `ip` or `user_agent` of
 * its own from a trusted sender has another set (`enrichEvent`).
 */
export interface Enriched {
  /** For events of a client: browser, device, place, `_ip`, `_ua`. */
  readonly client: readonly EnrichedField[];
  /** For events that a server sends and says nothing of: the request is its own, and tells nothing of the person. */
  readonly unknown: readonly EnrichedField[];
  /** For events of origin `server`: nothing of browser, device or place either. */
  readonly server: readonly EnrichedField[];
}
