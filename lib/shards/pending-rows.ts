/** The rows of one project that wait to be sealed: what every event has. Values of fields are in PendingField. */
import { GrowableFloat64, GrowableUint32, GrowableUint8 } from './growable.ts';
import { WINDOW, type Keys } from './deduplication.ts';
import { MADE, TEXT, type InsertIds, type InsertKind } from './segment/insert-ids.ts';
import type { RawSegment } from './segment/raw.ts';

/** Ids of a row; 0 is none. Codes of the project's dictionaries. */
export interface RowIds {
  type: number;
  user: number;
  device: number;
  session: number;
}

export class PendingRows {
  readonly #times = new GrowableFloat64();
  readonly #arrivals = new GrowableFloat64();
  readonly #received = new GrowableFloat64();
  readonly #types = new GrowableUint32();
  readonly #users = new GrowableUint32();
  readonly #devices = new GrowableUint32();
  readonly #sessions = new GrowableUint32();
  readonly #insertKinds = new GrowableUint8();
  readonly #insertLow = new GrowableUint32(); // HEX16: the number; TEXT: number of the text
  readonly #insertHigh = new GrowableUint32();
  readonly #keyLow = new GrowableUint32(); // of the deduplication key
  readonly #keyHigh = new GrowableUint32();
  readonly #textEnds = new GrowableUint32();
  readonly #textBytes = new GrowableUint8();
  #slots = new Uint32Array(64); // row + 1 by key; open addressing

  get length(): number {
    return this.#times.length;
  }

  /** When the first row arrived; Infinity when there is none. */
  get firstReceived(): number {
    return this.length === 0 ? Infinity : this.#received.values[0]!;
  }

  push(time: number, arrival: number, received: number, ids: RowIds): void {
    this.#times.push(time);
    this.#arrivals.push(arrival);
    this.#received.push(received);
    this.#types.push(ids.type);
    this.#users.push(ids.user);
    this.#devices.push(ids.device);
    this.#sessions.push(ids.session);
  }

  /** The insert id of the row just pushed. `text`: null where the key is the id itself (HEX16) or the id is made. */
  pushInsertId(kind: InsertKind, high: number, low: number, text: Uint8Array | null): void {
    this.#insertKinds.push(kind);
    this.#keyHigh.push(high);
    this.#keyLow.push(low);
    this.#insertHigh.push(high);
    if (text) {
      this.#insertLow.push(this.#textEnds.length);
      this.#textBytes.append(text, 0, text.length);
      this.#textEnds.push(this.#textBytes.length);
    } else this.#insertLow.push(low);
    if (kind !== MADE) this.#index(this.#insertKinds.length - 1);
  }

  /** Whether a pending row with this key arrived less than WINDOW before `now`. */
  has(high: number, low: number, now: number): boolean {
    const mask = this.#slots.length - 1;
    for (let i = slotOf(high, low) & mask; this.#slots[i] !== 0; i = (i + 1) & mask) {
      const row = this.#slots[i]! - 1;
      if (
        this.#keyHigh.values[row] === high &&
        this.#keyLow.values[row] === low &&
        this.#received.values[row]! > now - WINDOW
      )
        return true;
    }
    return false;
  }

  /** Forgets the rows from `rows` on. */
  truncate(rows: number): void {
    if (rows >= this.length) return;
    let texts = 0;
    for (let row = 0; row < rows; row++) if (this.#insertKinds.values[row] === TEXT) texts++;
    this.#textEnds.length = texts;
    this.#textBytes.length = texts === 0 ? 0 : this.#textEnds.values[texts - 1]!;
    for (const column of this.#columns()) column.length = rows;
    this.#reindex(this.#slots.length);
  }

  clear(): void {
    for (const column of this.#columns()) column.length = 0;
    this.#textEnds.length = this.#textBytes.length = 0;
    this.#slots = new Uint32Array(64);
  }

  /** Views for a segment, good until `clear`. */
  raw(): Omit<RawSegment, 'fields'> {
    const rows = this.length;
    const insertIds: InsertIds = {
      kinds: this.#insertKinds.values.subarray(0, rows),
      low: this.#insertLow.values.subarray(0, rows),
      high: this.#insertHigh.values.subarray(0, rows),
      texts: {
        count: this.#textEnds.length,
        types: new Uint8Array(this.#textEnds.length),
        ends: this.#textEnds.values.subarray(0, this.#textEnds.length),
        bytes: this.#textBytes.values.subarray(0, this.#textBytes.length),
      },
    };
    return {
      rows,
      times: this.#times.values.subarray(0, rows),
      arrivals: this.#arrivals.values.subarray(0, rows),
      types: this.#types.values.subarray(0, rows),
      users: this.#users.values.subarray(0, rows),
      devices: this.#devices.values.subarray(0, rows),
      sessions: this.#sessions.values.subarray(0, rows),
      insertIds,
    };
  }

  /** Keys of rows whose insert id was sent. */
  keys(): Keys {
    const rows = this.length;
    const high = new Uint32Array(rows);
    const low = new Uint32Array(rows);
    const arrived = new Float64Array(rows);
    let count = 0;
    for (let row = 0; row < rows; row++) {
      if (this.#insertKinds.values[row] === MADE) continue;
      high[count] = this.#keyHigh.values[row]!;
      low[count] = this.#keyLow.values[row]!;
      arrived[count++] = this.#received.values[row]!;
    }
    return { count, high: high.subarray(0, count), low: low.subarray(0, count), arrived: arrived.subarray(0, count) };
  }

  #columns(): { length: number }[] {
    return [
      this.#times, this.#arrivals, this.#received, this.#types, this.#users, this.#devices, this.#sessions,
      this.#insertKinds, this.#insertLow, this.#insertHigh, this.#keyLow, this.#keyHigh,
    ]; // prettier-ignore
  }

  #index(row: number): void {
    if ((row + 1) * 2 > this.#slots.length) return this.#reindex(this.#slots.length * 2);
    this.#place(row);
  }

  #place(row: number): void {
    const mask = this.#slots.length - 1;
    let i = slotOf(this.#keyHigh.values[row]!, this.#keyLow.values[row]!) & mask;
    while (this.#slots[i] !== 0) i = (i + 1) & mask;
    this.#slots[i] = row + 1;
  }

  #reindex(slots: number): void {
    this.#slots = new Uint32Array(slots);
    for (let row = 0; row < this.#insertKinds.length; row++)
      if (this.#insertKinds.values[row] !== MADE) this.#place(row);
  }
}

const slotOf = (high: number, low: number): number => Math.imul(high ^ Math.imul(low, 0x9e3779b9), 0x85ebca6b) >>> 7;
