/** A normalised event: what is stored of it. lib/shards/ingest/normalise/ makes it from a parsed JSON value. */
import { DAY_MS } from '../base/day.ts';
import type { TextType } from './shard-reader.ts';

/** How long an insert id is remembered: after it, another event may have it. Milliseconds. */
export const ID_WINDOW = 7 * DAY_MS;

/** A property's value. Objects and arrays as compact JSON text in JavaScript's key order; null as type `null`, text ''. */
export type StoredValue = number | { readonly type: TextType; readonly text: string };

export type IngestOrigin = 'server' | 'client' | 'unknown';

export interface NormalEvent {
  readonly type: string;
  readonly userId: string | null;
  readonly deviceId: string | null;
  readonly sessionId: string | null;
  /** null: the store derives one from the event's arrival. */
  readonly insertId: string | null;
  readonly time: number; // milliseconds since the epoch
  readonly properties: readonly (readonly [key: string, value: StoredValue])[];
  readonly userProperties: readonly (readonly [key: string, value: StoredValue])[];
  readonly library: string | null;
  readonly origin: IngestOrigin;
  /** Set by a trusted sender for its client; null: the request's. */
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly valuesTrimmed: number;
  readonly idsIgnored: number;
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
  /** Applied in this order. Values are JSON values as a profile keeps them: objects and arrays as `JsonText`. */
  readonly set: readonly (readonly [key: string, value: unknown])[];
  readonly setOnce: readonly (readonly [key: string, value: unknown])[];
  readonly add: readonly (readonly [key: string, amount: number])[];
  readonly unset: readonly string[];
  /** Properties of $add whose amount is not a number. */
  readonly ignored: readonly string[];
  readonly valuesTrimmed: number;
  readonly idsIgnored: number;
}
