/** Insert ids of a request that may be repeats of sealed ones. */
import type { IdPlace } from '../segment/insert-ids/insert-ids.ts';
import type { SoughtId } from '../segment/insert-ids/insert-key.ts';
import { FOUND } from '../segment/insert-ids/segment-ids.ts';

/** An id that may be a repeat. */
export interface AskedId {
  readonly id: SoughtId;
  /** All of it. */
  readonly text: IdPlace;
  /** Whether its event is of an import. */
  readonly isImported: boolean;
}

/** The insert ids that one reading of a request has met, and which of them were found to be repeats of sealed ones. */
export class IdLooks {
  /** By place, in the order in which they were met: the upper and lower halves of their keys. */
  readonly high: number[] = [];
  readonly low: number[] = [];
  /** Where their texts are: each list by itself, as one of objects would take ten times the room. */
  readonly #bytes: Uint8Array[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #imported: boolean[] = [];
  /** Of these and of earlier readings. */
  readonly #repeats = new Set<string>();
  /** By segment: ids that pass its filter by chance. */
  readonly #cleared = new Set<string>();
  /** Whether one of them is of an import, which repeats those of other imports, however old. */
  anyImported = false;

  /** Whether an id was found to be a repeat. */
  isRepeat({ text: { bytes, start, end }, isImported }: AskedId): boolean {
    return this.#repeats.size > 0 && this.#repeats.has(keyOf(textOf(bytes, start, end), isImported));
  }

  /** Adds an id to look up when the reading has ended. Its text must stay until then. */
  add({ id, text: { bytes, start, end }, isImported }: AskedId): void {
    this.high.push(id.high);
    this.low.push(id.low);
    this.#bytes.push(bytes);
    this.#starts.push(start);
    this.#ends.push(end);
    this.#imported.push(isImported);
    if (isImported) this.anyImported = true;
  }

  /** Forgets the ids, as they will be read again. */
  restart(): void {
    for (const list of [this.high, this.low, this.#bytes, this.#starts, this.#ends, this.#imported]) list.length = 0;
    this.anyImported = false;
  }

  /** The text of an id, one character per byte, so that other threads can get it undecoded; null: the segment is known to lack it. */
  sought(at: number, segment: number): string | null {
    const text = this.#textAt(at);
    return this.#cleared.has(`${segment} ${keyOf(text, this.#imported[at]!)}`) ? null : text;
  }

  /** Tells what a segment has of an id, as `FOUND`. Returns whether that makes it a repeat. */
  tell(at: number, segment: number, found: number): boolean {
    const isImported = this.#imported[at]!;
    const key = keyOf(this.#textAt(at), isImported);
    const isRepeat = (found & (isImported ? FOUND.recent | FOUND.imported : FOUND.recent)) !== 0;
    if (isRepeat) this.#repeats.add(key);
    else this.#cleared.add(`${segment} ${key}`);
    return isRepeat;
  }

  #textAt(at: number): string {
    return textOf(this.#bytes[at]!, this.#starts[at]!, this.#ends[at]!);
  }
}

const keyOf = (text: string, isImported: boolean): string => `${isImported ? 'imported' : 'sent'} ${text}`;

const textOf = (bytes: Uint8Array, start: number, end: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
