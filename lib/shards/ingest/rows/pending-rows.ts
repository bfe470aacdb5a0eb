/** The pending rows of one project: the columns that every event has. Values of fields are in PendingField. */
import {
  GrowableUint32,
  GrowableUint8,
  handedOver,
  NO_BYTES,
  NO_FLOATS,
  NO_WORDS,
  resizedBytes,
  resizedFloats,
  resizedWords,
} from '../../../base/growable.ts';
import { ID_WINDOW } from '../../event.ts';
import { isSameId, slotOfKey, type SoughtId } from '../../segment/insert-ids/insert-key.ts';
import { HEX16, type IdPlace, type InsertIdRows, MADE, TEXT, UUID } from '../../segment/insert-ids/insert-ids.ts';
import type { RawSegment } from '../../segment/raw.ts';
import { UUID_BYTES } from '../../hashing/uuid.ts';
import type { DeviceBinding } from '../../file/bindings.ts';
import type { Place } from '../../journal/entry.ts';
import type { DayCounts } from '../../file/usage-counters.ts';

/** Ids of a row, as codes of the project's dictionaries; 0 is none. */
export interface PendingIds {
  type: number;
  user: number;
  device: number;
  session: number;
}

/** Grown by halves, so that 131,072 rows and what the last request adds to them need room for 147,169. */
const FIRST_ROWS = 20;
const FIRST_SLOTS = 64;

export class PendingRows {
  #length = 0;
  #capacity = 0;
  #times = NO_FLOATS;
  #arrivals = NO_FLOATS;
  #received = NO_FLOATS;
  #types = NO_WORDS;
  #users = NO_WORDS;
  #devices = NO_WORDS;
  #sessions = NO_WORDS;
  #insertKinds = NO_BYTES;
  #imported = NO_BYTES;
  #insertLow = NO_WORDS; // HEX16: the number; TEXT, UUID: index of the text or the UUID
  #insertHigh = NO_WORDS;
  #keyLow = NO_WORDS; // of the deduplication key
  #keyHigh = NO_WORDS;
  readonly #textEnds = new GrowableUint32();
  readonly #textBytes = new GrowableUint8();
  readonly #uuids = new GrowableUint8();
  readonly #placed: IdPlace = { bytes: new Uint8Array(0), start: 0, end: 0 };
  /** Row + 1 by key, open addressing. */
  #slots = new Uint32Array(FIRST_SLOTS);

  get length(): number {
    return this.#length;
  }

  /** Bytes of insert ids of kind TEXT. */
  get textBytes(): number {
    return this.#textBytes.length;
  }

  /** Number of rows, and the earliest and latest time. */
  extent(): { rows: number; first: number; last: number } {
    const times = this.#times.subarray(0, this.#length);
    const first = times.reduce((least, time) => Math.min(least, time), Infinity);
    return { rows: this.#length, first, last: times.reduce((most, time) => Math.max(most, time), -Infinity) };
  }

  /** Adds a row and returns its number; its insert id follows with `setInsertId`. */
  push(time: number, arrival: number, received: number, ids: PendingIds): number {
    const row = this.#length++;
    if (row >= this.#capacity) this.#grow();
    this.#times[row] = time;
    this.#arrivals[row] = arrival;
    this.#received[row] = received;
    this.#types[row] = ids.type;
    this.#users[row] = ids.user;
    this.#devices[row] = ids.device;
    this.#sessions[row] = ids.session;
    this.#insertKinds[row] = MADE;
    this.#imported[row] = 0;
    return row;
  }

  /** Sets the insert id of the row just pushed, if one was sent. @param isImported Whether the event is of an import. */
  setInsertId({ kind, high, low, bytes, start, end }: SoughtId, isImported: boolean): void {
    const row = this.#length - 1;
    this.#insertKinds[row] = kind;
    this.#imported[row] = isImported ? 1 : 0;
    this.#keyHigh[row] = high;
    this.#keyLow[row] = low;
    this.#insertHigh[row] = kind === HEX16 ? high : 0;
    this.#insertLow[row] = low;
    if (kind === TEXT) {
      this.#insertLow[row] = this.#textEnds.length;
      this.#textBytes.append(bytes, start, end);
      this.#textEnds.push(this.#textBytes.length);
    } else if (kind === UUID) {
      this.#insertLow[row] = this.#uuids.length / UUID_BYTES;
      this.#uuids.append(bytes, start, end);
    }
    if ((row + 1) * 2 > this.#slots.length) this.#reindex(this.#slots.length * 2);
    else this.#place(row);
  }

  /** Whether a pending row with this id arrived less than ID_WINDOW before a request, or is of an import and the id is, too. */
  has(id: SoughtId, isImported: boolean, request: { readonly receivedAt: number }): boolean {
    const { high, low } = id;
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let i = slotOfKey(high, low) & mask; slots[i] !== 0; i = (i + 1) & mask) {
      const row = slots[i]! - 1;
      if (this.#keyHigh[row] !== high || this.#keyLow[row] !== low || this.#insertKinds[row] !== id.kind) continue;
      const counts = this.#received[row]! > request.receivedAt - ID_WINDOW || (isImported && this.#imported[row] === 1);
      if (counts && (id.kind === HEX16 || this.#isAt(row, id))) return true;
    }
    return false;
  }

  #isAt(row: number, id: SoughtId): boolean {
    const place = this.#placed;
    const index = this.#insertLow[row]!;
    const isText = id.kind === TEXT;
    place.bytes = isText ? this.#textBytes.values : this.#uuids.values;
    if (isText) place.start = index === 0 ? 0 : this.#textEnds.values[index - 1]!;
    else place.start = index * UUID_BYTES;
    place.end = isText ? this.#textEnds.values[index]! : place.start + UUID_BYTES;
    return isSameId(id, place);
  }

  /** Drops the rows from `rows` on. */
  truncate(rows: number): void {
    for (let row = this.#length - 1; row >= rows; row--) {
      const kind = this.#insertKinds[row];
      if (kind === TEXT) this.#textEnds.length--;
      else if (kind === UUID) this.#uuids.length -= UUID_BYTES;
      if (kind !== MADE) this.#displace(row);
      this.#length = row;
    }
    const texts = this.#textEnds.length;
    this.#textBytes.length = texts === 0 ? 0 : this.#textEnds.values[texts - 1]!;
  }

  /** All rows, for any thread. */
  raw(): Omit<RawSegment, 'fields'> {
    const rows = this.#length;
    const texts = this.#textEnds.length;
    const insertIds: InsertIdRows = {
      kinds: handedOver(this.#insertKinds, rows),
      imported: handedOver(this.#imported, rows),
      low: handedOver(this.#insertLow, rows),
      high: handedOver(this.#insertHigh, rows),
      texts: {
        count: texts,
        types: new Uint8Array(texts),
        ends: handedOver(this.#textEnds.values, texts),
        bytes: handedOver(this.#textBytes.values, this.#textBytes.length),
      },
      uuids: handedOver(this.#uuids.values, this.#uuids.length),
    };
    return {
      rows,
      times: handedOver(this.#times, rows),
      arrivals: handedOver(this.#arrivals, rows),
      received: handedOver(this.#received, rows),
      types: handedOver(this.#types, rows),
      users: handedOver(this.#users, rows),
      devices: handedOver(this.#devices, rows),
      sessions: handedOver(this.#sessions, rows),
      insertIds,
    };
  }

  #grow(): void {
    const capacity = Math.max(FIRST_ROWS, this.#capacity + (this.#capacity >>> 1));
    this.#capacity = capacity;
    this.#times = resizedFloats(this.#times, capacity);
    this.#arrivals = resizedFloats(this.#arrivals, capacity);
    this.#received = resizedFloats(this.#received, capacity);
    this.#types = resizedWords(this.#types, capacity);
    this.#users = resizedWords(this.#users, capacity);
    this.#devices = resizedWords(this.#devices, capacity);
    this.#sessions = resizedWords(this.#sessions, capacity);
    this.#insertKinds = resizedBytes(this.#insertKinds, capacity);
    this.#imported = resizedBytes(this.#imported, capacity);
    this.#insertLow = resizedWords(this.#insertLow, capacity);
    this.#insertHigh = resizedWords(this.#insertHigh, capacity);
    this.#keyLow = resizedWords(this.#keyLow, capacity);
    this.#keyHigh = resizedWords(this.#keyHigh, capacity);
  }

  #place(row: number): void {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let i = slotOfKey(this.#keyHigh[row]!, this.#keyLow[row]!) & mask;
    while (slots[i] !== 0) i = (i + 1) & mask;
    slots[i] = row + 1;
  }

  /** Frees the slot of the last row placed: no other was put further on because of it. */
  #displace(row: number): void {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let i = slotOfKey(this.#keyHigh[row]!, this.#keyLow[row]!) & mask;
    while (slots[i] !== row + 1) i = (i + 1) & mask;
    slots[i] = 0;
  }

  #reindex(slots: number): void {
    this.#slots = new Uint32Array(slots);
    for (let row = 0; row < this.#length; row++) if (this.#insertKinds[row] !== MADE) this.#place(row);
  }
}

/** What a seal stores of a shard: frozen, so that requests can be read meanwhile. */
export interface Frozen {
  readonly rows: PendingRows;
  readonly bindings: readonly DeviceBinding[];
  readonly profiles: number;
  /** The first arrival number that is not in it. */
  readonly nextArrival: number;
  readonly usage: readonly DayCounts[];
  readonly journal: JournalShare;
}

/** A request in the journal. `bytes`: its size with the body unpacked. */
export interface Recorded {
  readonly place: Place;
  readonly bytes: number;
}

/** The unsealed part of the journal. */
export class JournalShare {
  bytes = 0;
  /** The first file; Infinity if none. */
  file = Infinity;
  /** Where each record is, in order of arrival. */
  readonly places: Place[] = [];
  /** When the oldest was added, as `monotonic()` counts; Infinity if none was. */
  since = Infinity;

  add({ place, bytes }: Recorded, now: number): void {
    this.bytes += bytes;
    this.file = Math.min(this.file, place.file.number);
    this.places.push(place);
    this.since = Math.min(this.since, now);
  }
}
