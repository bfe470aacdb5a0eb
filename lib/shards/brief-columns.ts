/**
 * Columns of the segment that was read last, for reads of some of its rows: decoded into arrays that are used again for the
 * next segment, as new ones of that size cost more than the decoding. One a thread is enough. What it hands out is good until
 * another segment is read.
 */
import { decodeIntegersInto } from './encoding/integers.ts';
import { decodeSequenceInto } from './encoding/sequences.ts';

/** Values of the longest array that is kept. */
const MOST = 1 << 20;

export class BriefColumns {
  #segment = '';
  readonly #codes = new Map<number, Uint32Array | null>();
  #times: Float64Array | null = null;
  readonly #codesRooms = new Map<number, Uint32Array>();
  #timesRoom = new Float64Array(0);

  /** The codes of a field; null when the segment lacks it. @param segment Its name, unique in the thread. */
  codes(segment: string, field: number, bytes: () => Uint8Array | null): Uint32Array | null {
    this.#turnTo(segment);
    const known = this.#codes.get(field);
    if (known !== undefined) return known;
    const stored = bytes();
    const values = stored && decodeIntegersInto(stored, (length) => this.#roomOfCodes(field, length)).values;
    this.#codes.set(field, values);
    return values;
  }

  times(segment: string, bytes: () => Uint8Array): Float64Array {
    this.#turnTo(segment);
    this.#times ??= decodeSequenceInto(bytes(), (length) => this.#roomOfTimes(length));
    return this.#times;
  }

  /** What was decoded is not used again: the files of a shard are others now. */
  forget(): void {
    this.#turnTo('');
  }

  #turnTo(segment: string): void {
    if (segment === this.#segment) return;
    this.#segment = segment;
    this.#codes.clear();
    this.#times = null;
  }

  #roomOfCodes(field: number, length: number): Uint32Array {
    const kept = this.#codesRooms.get(field);
    if (kept && kept.length >= length) return kept;
    const room = new Uint32Array(length);
    if (length <= MOST) this.#codesRooms.set(field, room);
    return room;
  }

  #roomOfTimes(length: number): Float64Array {
    if (this.#timesRoom.length >= length) return this.#timesRoom;
    const room = new Float64Array(length);
    if (length <= MOST) this.#timesRoom = room;
    return room;
  }
}
