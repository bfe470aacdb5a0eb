/**
 * Columns of the segment read last, for reads of some of its rows: decoded into arrays that are reused for the next segment,
 * since allocating them would cost more than decoding. The thread has one, as its rooms are never given back. Its results are valid
 * until another segment is read.
 */
import { kept } from '../../base/kept.ts';
import { Scratch } from '../../primitives/memory.ts';
import { decodeTriples, type DecodedTriples } from './triples.ts';
import { decodeCodesInto, type TriplesOf } from './decode.ts';
import { decodeSequenceInto } from './encoding/sequences.ts';

class BriefColumns {
  #segment = '';
  readonly #codes = new Map<number, Uint32Array | null>();
  #times: Float64Array | null = null;
  readonly #rooms = new Map<number, Scratch>();
  readonly #roomOfTimes = new Scratch();
  #triplesOf = '';
  #triples: DecodedTriples | null = null;
  readonly #roomOfTriples = new Scratch();

  /** The triples of a segment's rows. @param segment Its name, unique in the thread. */
  triples(segment: string, bytes: () => Uint8Array): DecodedTriples {
    if (segment !== this.#triplesOf || this.#triples === null) {
      this.#triplesOf = segment;
      this.#triples = null; // the room is overwritten, even if decoding fails
      this.#triples = decodeTriples(bytes(), this.#roomOfTriples);
    }
    return this.#triples;
  }

  /** The codes of a field; null if the segment lacks it. @param segment Its name, unique in the thread. */
  codes(segment: string, field: number, bytes: () => Uint8Array | null, triples: TriplesOf): Uint32Array | null {
    this.#turnTo(segment);
    return kept(this.#codes, field, () => {
      const stored = bytes();
      return (
        stored &&
        decodeCodesInto(
          stored,
          triples,
          kept(this.#rooms, field, () => new Scratch()),
        )
      );
    });
  }

  times(segment: string, bytes: () => Uint8Array): Float64Array {
    this.#turnTo(segment);
    this.#times ??= decodeSequenceInto(bytes(), this.#roomOfTimes);
    return this.#times;
  }

  /** Drops what was decoded: the files of a shard were replaced. */
  forget(): void {
    this.#triplesOf = '';
    this.#turnTo('');
  }

  #turnTo(segment: string): void {
    if (segment === this.#segment) return;
    this.#segment = segment;
    this.#codes.clear();
    this.#times = null;
  }
}

export const briefColumns = new BriefColumns();
