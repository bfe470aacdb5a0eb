/** Insert ids of one request that only reading can tell: which, by segment, and what reading has told. */
import type { IdPlace } from '../segment/insert-ids/insert-ids.ts';

export class IdLooks {
  /** Ids that nobody has looked for yet, as `keyOf` makes them. */
  #asked = new Map<number, Set<string>>();
  readonly #told = new Map<number, Map<string, boolean>>();

  /** Whether something must be read before the request is right about its repeats. */
  get any(): boolean {
    return this.#asked.size > 0;
  }

  /** Whether a segment has the id; undefined: nobody looked. @param text All of the id. */
  told(segment: number, text: IdPlace): boolean | undefined {
    const told = this.#told.get(segment);
    return told?.get(keyOf(text));
  }

  ask(segment: number, text: IdPlace): void {
    const asked = this.#asked.get(segment) ?? new Set();
    this.#asked.set(segment, asked.add(keyOf(text)));
  }

  /** What was asked so far: it is to be told. */
  take(): ReadonlyMap<number, ReadonlySet<string>> {
    const asked = this.#asked;
    this.#asked = new Map();
    return asked;
  }

  tell(segment: number, id: string, isThere: boolean): void {
    const told = this.#told.get(segment) ?? new Map<string, boolean>();
    this.#told.set(segment, told.set(id, isThere));
  }
}

/** The text of an id, a character a byte: it goes to other threads without being decoded. */
const keyOf = ({ bytes, start, end }: IdPlace): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
