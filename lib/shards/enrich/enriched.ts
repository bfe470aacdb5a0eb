/** What enrichment adds to an event beside what was sent. */
import type { IngestOrigin } from '../event.ts';

/** A field as it is stored, named by its column (`_browser`, `_country`, …), and its text, never empty. */
export type EnrichedField = readonly [column: string, text: string];

/**
 * The fields that every event of one request gets; computed once a request. An event that carries an `ip` or `user_agent` of
 * its own from a trusted sender has another set (`enrichEvent`).
 */
export interface Enriched {
  /** For events of origin `client` and `unknown`: browser, device, place, `_ip`, `_ua`. */
  readonly fields: readonly EnrichedField[];
  /** For events of origin `server`: nothing of browser, device or place, which are the server's and not the user's. */
  readonly serverFields: readonly EnrichedField[];
  /** `_ingest_origin` of an event that says nothing of its origin: `client` for a public key, else `unknown`. */
  readonly origin: IngestOrigin;
}
