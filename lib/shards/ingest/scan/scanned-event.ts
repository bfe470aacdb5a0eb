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
import { bytesAt, floatsAt, primitives, take, wordsAt } from '../../../primitives/memory.ts';
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
/** A number of the key that shapes.ts gave it, or 0. */
export const COLUMN = 7;

/** Where things are in the record, bytes; and of the two objects of properties slots, then numbers. */
export const IDS_IGNORED_AT = 72;
export const ORIGIN_SERVER_AT = 76;
export const CLIENT_ORIGINATED_AT = 80;
const COUNTS_AT = 84;
const TIME_AT = 96;
const OWNER_AT = 104;
const OBJECT_AT = 128;
const SLOT_BYTES = MAX_PROPERTIES * PROPERTY_STRIDE * 4;
const OBJECT_BYTES = SLOT_BYTES + MAX_PROPERTIES * (8 + 4);

/** The properties of one object in the order of its text; no key stands twice. */
export class ScannedProperties {
  count = 0;
  readonly slots: Int32Array;
  /** The value of property i when it is a NUMBER: finite, never -0. */
  readonly numbers: Float64Array;
  /** The code of property i when it is a STRING whose code was kept for the owner (see `ScannedEvent.owner`); else 0. */
  readonly codes: Uint32Array;
  readonly #record: number;
  readonly #space: 0 | 1;

  constructor(record: number, space: 0 | 1) {
    const address = record + OBJECT_AT + space * OBJECT_BYTES;
    this.#record = record;
    this.#space = space;
    const slots = wordsAt(address, SLOT_BYTES / 4);
    this.slots = new Int32Array(slots.buffer, slots.byteOffset, slots.length);
    this.numbers = floatsAt(address + SLOT_BYTES, MAX_PROPERTIES);
    this.codes = wordsAt(address + SLOT_BYTES + MAX_PROPERTIES * 8, MAX_PROPERTIES);
  }

  /** Keeps the code of the STRING that property i is, for later events of the owner; only before another event is scanned. */
  keepCode(i: number, code: number): void {
    if (this.slots[i * PROPERTY_STRIDE + COLUMN] !== 0) primitives.keepCode(this.#record, this.#space, i, code);
  }
}

/** A record in the memory of primitives that is never given back: one a thread is enough. */
export class ScannedEvent {
  /** Its address. */
  readonly record: number = take(OBJECT_AT + 2 * OBJECT_BYTES);
  /** [start, end) of the event's JSON, braces included. Also set when the event is slow (by `BatchScanner`). */
  start = 0;
  end = 0;
  /** Text fields: `texts[FIELD + START | END | HASH]`. */
  readonly texts: Int32Array;
  /** As sent, milliseconds since the epoch, before any correction; NaN: no time given, or one that is no time. */
  time = NaN;
  /** `"origin": "server"` stands in the event. */
  originServer = false;
  /** `"clientOriginated": true` stands in the event. */
  clientOriginated = false;
  /** Ids that were given as null. */
  idsIgnored = 0;
  readonly eventProperties: ScannedProperties;
  readonly userProperties: ScannedProperties;
  readonly #times: Float64Array;

  constructor() {
    const { buffer } = bytesAt(this.record, 0);
    this.texts = new Int32Array(buffer, this.record, OBJECT_AT / 4);
    this.#times = new Float64Array(buffer, this.record + TIME_AT, 1);
    this.eventProperties = new ScannedProperties(this.record, 0);
    this.userProperties = new ScannedProperties(this.record, 1);
  }

  /** Whose codes `codes` has: a number above 0; 0: nobody's. Set it before an event is scanned. */
  set owner(owner: number) {
    this.texts[OWNER_AT >> 2] = owner;
  }

  /** Nothing is known of an event that begins at `start`. */
  clear(start: number): void {
    this.texts.fill(-1, 0, TEXT_SLOTS);
    this.time = NaN;
    this.originServer = this.clientOriginated = false;
    this.idsIgnored = 0;
    this.eventProperties.count = this.userProperties.count = 0;
    this.start = start;
  }

  /** Takes what the primitive wrote besides texts and properties, of the event at [start, end). */
  takeRecord(start: number, end: number): void {
    const { texts } = this;
    this.time = this.#times[0]!;
    this.originServer = texts[ORIGIN_SERVER_AT >> 2] !== 0;
    this.clientOriginated = texts[CLIENT_ORIGINATED_AT >> 2] !== 0;
    this.idsIgnored = texts[IDS_IGNORED_AT >> 2]!;
    this.eventProperties.count = texts[COUNTS_AT >> 2]!;
    this.userProperties.count = texts[(COUNTS_AT >> 2) + 1]!;
    this.start = start;
    this.end = end;
  }
}
