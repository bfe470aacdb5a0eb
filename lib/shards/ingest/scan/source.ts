/** The bytes that are scanned, and what the last scanned token was besides its end. Reused; one a thread is enough. */
export class ScanSource {
  bytes: Uint8Array = new Uint8Array(0);
  /** Over the same bytes: reads words of four bytes at any offset. */
  view: DataView = new DataView(new ArrayBuffer(0));
  /** No word may be read from a later offset. */
  lastWord = -4;
  /** Of the text that was scanned last. Typed arrays keep numbers of 32 and 64 bits without boxing them. */
  readonly hash = new Int32Array(1);
  /** The number that was scanned last. */
  readonly number = new Float64Array(1);
  #given: Uint8Array | null = null;

  /** Reads from these bytes from now on; false when they are the same as before. */
  use(given: Uint8Array): boolean {
    if (given === this.#given) return false;
    this.#given = given;
    // A Buffer is another class to the compiler of hot loops: they must see one only.
    this.bytes = new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
    this.view = new DataView(given.buffer, given.byteOffset, given.byteLength);
    this.lastWord = given.byteLength - 4;
    return true;
  }
}

/** What white space held since it was last set: a line of NDJSON may have none of it. */
export const space = { newline: false };

/** Offset of the first byte at or after `at` that is no white space of JSON; the length of the bytes when there is none. */
export function skipSpace(bytes: Uint8Array, at: number): number {
  let next = at;
  while (next < bytes.length) {
    const byte = bytes[next]!;
    if (byte > 0x20 || (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)) break;
    if (byte === 0x0a) space.newline = true;
    next++;
  }
  return next;
}
