/** A normalised event: what is stored of it. lib/shards/ingest/normalise/ makes it from a parsed JSON value. */
import { DAY_MS } from '../base/day.ts';
import type { TextType } from './shard-reader.ts';

/** How long an insert id is remembered: after it, another event may have it, unless both are of imports. Milliseconds. */
export const ID_WINDOW = 7 * DAY_MS;

/** A property's value. Objects and arrays as compact JSON text in JavaScript's key order; null as type `null`, text ''. */
export type PropertyValue = number | { readonly type: TextType; readonly text: string };

export type IngestOrigin = 'server' | 'client' | 'unknown';

export interface NormalEvent {
  readonly type: string;
  readonly userId: string | null;
  readonly deviceId: string | null;
  readonly sessionId: string | null;
  /** null: the store derives one from the event's arrival. */
  readonly insertId: string | null;
  readonly time: number; // milliseconds since the epoch
  readonly properties: readonly (readonly [key: string, value: PropertyValue])[];
  readonly userProperties: readonly (readonly [key: string, value: PropertyValue])[];
  readonly library: string | null;
  readonly origin: IngestOrigin;
  /** Set by a trusted sender for its client; null: the request's. */
  readonly ip: string | null;
  readonly userAgent: string | null;
  /** The import that brought it, named by a trusted sender: its insert id is remembered as long as the event is stored. */
  readonly importId: string | null;
  /** Columns that a trusted sender states of its client, in place of what would be derived; their texts are never empty. */
  readonly stated: readonly (readonly [column: string, text: string])[];
}

type Ids = 'userId' | 'deviceId' | 'sessionId' | 'insertId';

/** An event as it is stored, wherever that is. Ids that are missing are null. */
export interface StoredEvent extends Pick<NormalEvent, 'time' | 'type' | Ids | 'properties' | 'userProperties'> {
  readonly arrival: number;
  /** When it arrived, milliseconds since the epoch; 0: longer ago than insert ids are remembered. */
  readonly received: number;
  /** All but what are properties themselves. */
  readonly enriched: readonly (readonly [column: string, text: string])[];
}

/** One POST /identify body after normalisation, or the user_properties of an event with a user id. */
export interface NormalIdentify {
  readonly userId: string;
  readonly deviceId: string | null;
  /** The date of its changes, milliseconds since the epoch; null: they apply to whatever is there, as before changes had dates. */
  readonly at: number | null;
  /** Applied in this order. */
  readonly set: readonly (readonly [key: string, value: PropertyValue])[];
  readonly setOnce: readonly (readonly [key: string, value: PropertyValue])[];
  readonly add: readonly (readonly [key: string, amount: number])[];
  readonly unset: readonly string[];
  /** Properties of $add whose amount is not a number. */
  readonly ignored: readonly string[];
}

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
