/**
 * What the scanner tells of one ordinary event: offsets into the bytes it read, never strings or objects. The record is
 * reused from event to event, so a consumer takes what it needs before it scans on.
 *
 * A text is [start, end) of the bytes between its quotes. It is valid UTF-8 without escapes or control characters, so its bytes
 * are the text. Its hash is `hashBytes` of those bytes (lib/shards/hashing/hash.ts), a signed 32-bit number that differs from
 * process to process and must not be stored.
 *
 * An event is ordinary when JSON.parse and `normaliseEvent` would keep it as it is: a valid event type, ids that are given as
 * plain texts (or null) that begin with no white space, properties that are plain texts, numbers, booleans or null, no key twice, no `ip` or `user_agent` of
 * its own. Whatever else comes is told to be slow, and only that event is parsed as JSON.
 */
import { MAX_PROPERTIES } from '../normalise/limits.ts';

/** Fields whose value is a text. Index into `ScannedEvent.texts`, three numbers each. */
export const EVENT_TYPE = 0;
export const USER_ID = 3;
export const DEVICE_ID = 6;
export const SESSION_ID = 9;
export const INSERT_ID = 12;
export const LIBRARY = 15;
const TEXT_SLOTS = 18;

/** Offsets from a field's index in `texts`. `texts[USER_ID + START] < 0` means that the event has no user id. */
export const START = 0;
export const END = 1;
export const HASH = 2;

/** Kinds of a property's value. */
export const STRING = 1;
export const NUMBER = 2;
export const TRUE = 3;
export const FALSE = 4;
export const NULL = 5;

/** Property i has its numbers in `slots` from `i * PROPERTY_STRIDE` on. */
export const PROPERTY_STRIDE = 8;
export const KEY_START = 0;
export const KEY_END = 1;
export const KEY_HASH = 2;
/** STRING, NUMBER, TRUE, FALSE or NULL. */
export const KIND = 3;
/** Of a STRING the bytes between the quotes; of another kind its token. */
export const VALUE_START = 4;
export const VALUE_END = 5;
/** Only of a STRING. */
export const VALUE_HASH = 6;

/** The properties of one object in the order of its text; no key stands twice. */
export class ScannedProperties {
  count = 0;
  readonly slots = new Int32Array(MAX_PROPERTIES * PROPERTY_STRIDE);
  /** The value of property i when it is a NUMBER: finite, never -0. */
  readonly numbers = new Float64Array(MAX_PROPERTIES);
}

export class ScannedEvent {
  /** [start, end) of the event's JSON, braces included. Also set when the event is slow (by `BatchScanner`). */
  start = 0;
  end = 0;
  /** Text fields: `texts[FIELD + START | END | HASH]`. */
  readonly texts = new Int32Array(TEXT_SLOTS);
  /** As sent, milliseconds since the epoch, before any correction; NaN: no time given, or one that is no time. */
  time = NaN;
  /** `"origin": "server"` stands in the event. */
  originServer = false;
  /** `"clientOriginated": true` stands in the event. */
  clientOriginated = false;
  /** Ids that were given as null. */
  idsIgnored = 0;
  readonly eventProperties = new ScannedProperties();
  readonly userProperties = new ScannedProperties();
}
