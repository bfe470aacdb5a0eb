/** Insert ids of one request that must be looked up on disk: the ids by segment, and the results. */
import { kept } from '../../base/kept.ts';
import type { IdPlace } from '../segment/insert-ids/insert-ids.ts';

export class IdLooks {
  /** Ids that nobody has looked up yet, as `keyOf` makes them. */
  #asked = new Map<number, Set<string>>();
  readonly #told = new Map<number, Map<string, boolean>>();

  /** Whether ids must be looked up before the request's repeats are known. */
  get any(): boolean {
    return this.#asked.size > 0;
  }

  /** Whether a segment has the id; undefined if nobody has looked. @param text All of the id. */
  told(segment: number, text: IdPlace): boolean | undefined {
    const told = this.#told.get(segment);
    return told?.get(keyOf(text));
  }

  ask(segment: number, text: IdPlace): void {
    kept(this.#asked, segment, () => new Set<string>()).add(keyOf(text));
  }

  /** Removes and returns the ids asked for so far, to be looked up. */
  take(): ReadonlyMap<number, ReadonlySet<string>> {
    const asked = this.#asked;
    this.#asked = new Map();
    return asked;
  }

  tell(segment: number, id: string, isThere: boolean): void {
    kept(this.#told, segment, () => new Map<string, boolean>()).set(id, isThere);
  }
}

/** The text of an id, one character per byte, so that other threads can get it undecoded. */
const keyOf = ({ bytes, start, end }: IdPlace): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
