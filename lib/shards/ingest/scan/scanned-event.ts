/**
 * What the scanner returns for an ordinary event: offsets into the bytes it read, never strings or objects. Records are reused, so
 * consumers must take what they need before the next scan into theirs.
 *
 * A text is [start, end) of the bytes between its quotes. It is valid UTF-8 without escapes or control characters, so its bytes
 * are the text. Its hash is `hashBytes` of those bytes (lib/shards/hashing/hash.ts), a signed 32-bit number that differs from
 * process to process and must not be stored.
 *
 * An event is ordinary if JSON.parse and `normaliseEvent` would keep it unchanged: a valid event type, ids that are plain texts
 * (or null) and do not begin with white space, properties that are plain texts, numbers, booleans or null, no repeated key, no
 * `ip` or `user_agent`. Any other event counts as slow, and is the only one parsed as JSON.
 */
import { emptySought, type SoughtId } from '../../segment/insert-ids/insert-key.ts';
import { bytesAt, floatsAt, primitives, take, wordsAt } from '../../../primitives/memory.ts';
import { MAX_PROPERTIES } from '../normalise/limits.ts';

/** Fields whose value is a text: index of their three numbers in `ScannedEvent.texts`. */
export const EVENT_TYPE = 0;
export const USER_ID = 3;
export const DEVICE_ID = 6;
export const SESSION_ID = 9;
export const INSERT_ID = 12;
export const LIBRARY = 15;
const TEXT_SLOTS = 18;

/** Offsets from a field's index in `texts`. `texts[USER_ID + START] < 0` means no user id. */
export const START = 0;
export const END = 1;
export const HASH = 2;

/** Kinds of a property's value. */
export const STRING = 1;
export const NUMBER = 2;
export const TRUE = 3;
export const FALSE = 4;
export const NULL = 5;

/** The numbers of property i begin at `i * PROPERTY_STRIDE` in `slots`. */
export const PROPERTY_STRIDE = 8;
export const KEY_START = 0;
export const KEY_END = 1;
export const KEY_HASH = 2;
/** STRING, NUMBER, TRUE, FALSE or NULL. */
export const KIND = 3;
/** The bytes between the quotes of a STRING; the token of any other kind. */
export const VALUE_START = 4;
export const VALUE_END = 5;
/** Only for a STRING. */
export const VALUE_HASH = 6;
/** The key's number from shapes.ts, or 0. */
export const COLUMN = 7;

/** Layout of the record, in bytes. Each of the two objects of properties has its slots, then its numbers. */
export const IDS_IGNORED_AT = 72;
export const ORIGIN_SERVER_AT = 76;
export const CLIENT_ORIGINATED_AT = 80;
const COUNTS_AT = 84;
const TIME_AT = 96;
const OWNER_AT = 104;
const OBJECT_AT = 128;
const SLOT_BYTES = MAX_PROPERTIES * PROPERTY_STRIDE * 4;
const OBJECT_BYTES = SLOT_BYTES + MAX_PROPERTIES * (8 + 4);

/** The properties of one object, in their order in the text; no key occurs twice. */
export class ScannedProperties {
  count = 0;
  readonly slots: Int32Array;
  /** The value of property i if it is a NUMBER: finite, never -0. */
  readonly numbers: Float64Array;
  /** The code of property i if it is a STRING whose code was kept for the owner (see `ScannedEvent.owner`); else 0. */
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

  /** Keeps the code of STRING property i for later events of the owner, if its bytes are still in the scanner's window. */
  keepCode(i: number, code: number): void {
    if (this.slots[i * PROPERTY_STRIDE + COLUMN] !== 0) primitives.keepCode(this.#record, this.#space, i, code);
  }
}

/** A record in the memory of primitives, never freed: a thread needs few. */
export class ScannedEvent {
  /** Its address. */
  readonly record: number = take(OBJECT_AT + 2 * OBJECT_BYTES);
  /** [start, end) of the event's JSON, braces included. `BatchScanner` sets it for slow events, too. */
  start = 0;
  end = 0;
  /** Text fields: `texts[FIELD + START | END | HASH]`. */
  readonly texts: Int32Array;
  /** As sent, milliseconds since the epoch, uncorrected; NaN: no time given, or an invalid one. */
  time = NaN;
  /** Whether the event has `"origin": "server"`. */
  originServer = false;
  /** Whether the event has `"clientOriginated": true`. */
  clientOriginated = false;
  /** Number of ids given as null. */
  idsIgnored = 0;
  /** For whoever looks up its insert id. */
  readonly sought: SoughtId = emptySought();
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

  /** The owner of the codes in `codes`: a number above 0; 0: nobody. Set it before scanning an event. */
  set owner(owner: number) {
    this.texts[OWNER_AT >> 2] = owner;
  }

  /** Resets the record for an event that begins at `start`. */
  clear(start: number): void {
    this.texts.fill(-1, 0, TEXT_SLOTS);
    this.time = NaN;
    this.originServer = this.clientOriginated = false;
    this.idsIgnored = 0;
    this.eventProperties.count = this.userProperties.count = 0;
    this.start = start;
  }

  /** Copies what the primitive wrote besides texts and properties, for the event at [start, end). */
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

/** Ordinary events of one body, to be added together. */
export interface ScannedEvents {
  readonly bytes: Uint8Array;
  readonly events: readonly ScannedEvent[];
  /** What the time of each means, milliseconds since the epoch. */
  readonly times: Float64Array;
  /** How many there are, at most AHEAD. */
  readonly count: number;
}

/** Events scanned before the first of them is added. */
export const AHEAD = 16;
