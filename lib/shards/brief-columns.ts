/**
 * Columns of the segment that was read last, for reads of some of its rows: decoded into arrays that are used again for the
 * next segment, as new ones of that size cost more than the decoding. One a thread is enough. What it hands out is good until
 * another segment is read.
 */
import { Room } from '../primitives/memory.ts';
import { unpackInto } from './encoding/integers.ts';
import { decodeSequenceInto } from './encoding/sequences.ts';

export class BriefColumns {
  #segment = '';
  readonly #codes = new Map<number, Uint32Array | null>();
  #times: Float64Array | null = null;
  readonly #rooms = new Map<number, Room>();
  readonly #roomOfTimes = new Room();

  /** The codes of a field; null when the segment lacks it. @param segment Its name, unique in the thread. */
  codes(segment: string, field: number, bytes: () => Uint8Array | null): Uint32Array | null {
    this.#turnTo(segment);
    const known = this.#codes.get(field);
    if (known !== undefined) return known;
    const stored = bytes();
    const values = stored && unpackInto(stored, this.#roomOf(field));
    this.#codes.set(field, values);
    return values;
  }

  times(segment: string, bytes: () => Uint8Array): Float64Array {
    this.#turnTo(segment);
    this.#times ??= decodeSequenceInto(bytes(), this.#roomOfTimes);
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

  #roomOf(field: number): Room {
    const room = this.#rooms.get(field) ?? new Room();
    this.#rooms.set(field, room);
    return room;
  }
}
