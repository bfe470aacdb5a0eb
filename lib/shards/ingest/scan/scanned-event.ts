/**
 * What the scanner returns for an ordinary event: offsets into the bytes it read, never strings or objects. Records are reused, so
 * consumers must take what they need before the next scan into theirs.
 *
 * A text is [start, end) of the bytes between its quotes. It is valid UTF-8 without escapes or control characters, so its bytes
 * are the text. Its hash is `hashBytes` of those bytes (lib/shards/hashing/hash.ts), a signed 32-bit number that differs from
 * process to process and must not be stored.
 *
 * An event is ordinary if JSON.parse and `normaliseEvent` would keep it unchanged: a valid event type, ids that are plain texts
 * (or null) and do not begin with white space, properties that are plain texts, numbers (whole ones beyond 2^53 as texts), booleans
 * or null, no repeated key, no `ip` or `user_agent`; and its texts have no more bytes than characters are allowed. Any other event
 * counts as slow, and is the only one parsed as JSON.
 */
import { memoryAt, floatsAt, primitives, take, wordsAt } from '../../../primitives/memory.ts';
import { MAX_EVENT_TYPE, MAX_ID, MAX_LIBRARY, MAX_PROPERTIES } from '../normalise/limits.ts';
import { SECRET, SEED } from '../../hashing/hash.ts';

/** Fields whose value is a text: index of their three numbers in `ScannedEvent.texts`. */
export const TEXT = { type: 0, user: 3, device: 6, session: 9, insert: 12, library: 15 } as const;

/** Offsets from a field's index in `texts`. `texts[TEXT.user + PART.start] < 0` means no user id. */
export const PART = { start: 0, end: 1, hash: 2 } as const;

/** Kinds of a property's value. */
export const KIND = { string: 1, number: 2, true: 3, false: 4, null: 5 } as const;

/**
 * The numbers of a property: those of property i begin at `i * SLOT.length` in `slots`. The value of a string, or of a whole number
 * beyond 2^53, is the bytes between the quotes, and has a hash; of any other kind, it is the token.
 */
export const SLOT = { keyStart: 0, keyEnd: 1, keyHash: 2, kind: 3, valueStart: 4, valueEnd: 5, valueHash: 6, length: 8 } as const; // prettier-ignore

/** Layout of the record, in bytes (the same in lib/primitives/wasm/scan.ts). An object of properties has its slots, then its numbers. */
const RECORD = { idsIgnored: 72, originServer: 76, clientOriginated: 80, counts: 84, time: 96, objects: 128 } as const;
const SLOT_BYTES = MAX_PROPERTIES * SLOT.length * 4;
const OBJECT_BYTES = SLOT_BYTES + MAX_PROPERTIES * 8;

/** The properties of one object, in their order in the text; no key occurs twice. */
export class ScannedProperties {
  count = 0;
  readonly slots: Int32Array;
  /** The value of property i if it is a NUMBER: finite, never -0. */
  readonly numbers: Float64Array;

  constructor(record: number, space: 0 | 1) {
    const address = record + RECORD.objects + space * OBJECT_BYTES;
    const slots = wordsAt(address, SLOT_BYTES / 4);
    this.slots = new Int32Array(slots.buffer, slots.byteOffset, slots.length);
    this.numbers = floatsAt(address + SLOT_BYTES, MAX_PROPERTIES);
  }
}

/** A record in the memory of primitives, never freed: a thread needs few. */
export class ScannedEvent {
  /** Its address. */
  readonly record: number = take(RECORD.objects + 2 * OBJECT_BYTES);
  /** [start, end) of the event's JSON, braces included. `BatchScanner` sets it for slow events, too. */
  start = 0;
  end = 0;
  /** Text fields: `texts[TEXT.… + PART.…]`. */
  readonly texts: Int32Array;
  /** Milliseconds since the epoch: as sent, NaN if no time was or an invalid one, until it is set to what it means. */
  time = NaN;
  /** Whether the event has `"origin": "server"`. */
  originServer = false;
  /** Whether the event has `"clientOriginated": true`. */
  clientOriginated = false;
  /** Number of ids given as null. */
  idsIgnored = 0;
  readonly eventProperties: ScannedProperties;
  readonly userProperties: ScannedProperties;
  readonly #times: Float64Array;

  constructor() {
    const { buffer } = memoryAt(this.record, 0);
    this.texts = new Int32Array(buffer, this.record, RECORD.objects / 4);
    this.#times = new Float64Array(buffer, this.record + RECORD.time, 1);
    this.eventProperties = new ScannedProperties(this.record, 0);
    this.userProperties = new ScannedProperties(this.record, 1);
  }

  /** Copies what the primitive wrote besides texts and properties, for the event at [start, end). */
  takeRecord(start: number, end: number): void {
    const { texts } = this;
    this.time = this.#times[0]!;
    this.originServer = texts[RECORD.originServer >> 2] !== 0;
    this.clientOriginated = texts[RECORD.clientOriginated >> 2] !== 0;
    this.idsIgnored = texts[RECORD.idsIgnored >> 2]!;
    this.eventProperties.count = texts[RECORD.counts >> 2]!;
    this.userProperties.count = texts[(RECORD.counts >> 2) + 1]!;
    this.start = start;
    this.end = end;
  }
}

/** What a field's value is, by the numbers of lib/primitives/wasm/scan.ts. `odd`: events with the field are not ordinary. */
const ROLES = [
  'odd',
  'text',
  'id',
  'time',
  'origin',
  'clientOriginated',
  'event_properties',
  'user_properties',
] as const;

/** The fields of events, those that come often first; of a text, where it goes and how many bytes it may have. */
const FIELDS: readonly (readonly [key: string, role: (typeof ROLES)[number], text?: number, limit?: number])[] = [
  ['event_type', 'text', TEXT.type, MAX_EVENT_TYPE],
  ['user_id', 'id', TEXT.user, MAX_ID],
  ['device_id', 'id', TEXT.device, MAX_ID],
  ['session_id', 'id', TEXT.session, MAX_ID],
  ['insert_id', 'id', TEXT.insert, MAX_ID],
  ['time', 'time'],
  ['event_properties', 'event_properties'],
  ['user_properties', 'user_properties'],
  ['library', 'text', TEXT.library, MAX_LIBRARY],
  ['origin', 'origin'],
  ['clientOriginated', 'clientOriginated'],
  ['ip', 'odd'],
  ['user_agent', 'odd'],
];

/** Bytes of a field as the primitive knows it: its key, then words. */
const FIELD_BYTES = 32;
const KEY_BYTES = 16;

setUp();

function setUp(): void {
  const address = take(FIELDS.length * FIELD_BYTES);
  for (const [i, [key, role, text = 0, limit = 0]] of FIELDS.entries()) {
    const at = address + i * FIELD_BYTES;
    memoryAt(at, KEY_BYTES).fill(0).set(Buffer.from(key));
    wordsAt(at + KEY_BYTES, 4).set([key.length, ROLES.indexOf(role), text * 4, limit]);
  }
  primitives.setUpScan(SEED, SECRET, address, FIELDS.length);
}
