/** The bytes to scan, and what else is known of the last token. Reused; one per thread is enough. */
export class ScanSource {
  bytes: Uint8Array = new Uint8Array(0);
  /** Over the same bytes, to read four-byte words at any offset. */
  view: DataView = new DataView(new ArrayBuffer(0));
  /** The last offset from which a word can be read. */
  lastWord = -4;
  /** Hash of the text scanned last. Typed arrays keep 32-bit and 64-bit numbers unboxed. */
  readonly hash = new Int32Array(1);
  /** The number scanned last. */
  readonly number = new Float64Array(1);
  #given: Uint8Array | null = null;

  /** Reads from these bytes from now on; false if they are the same as before. */
  use(given: Uint8Array): boolean {
    if (given === this.#given) return false;
    this.#given = given;
    // Hot loops must see one class only, and a Buffer is another to the compiler.
    this.bytes = new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
    this.view = new DataView(given.buffer, given.byteOffset, given.byteLength);
    this.lastWord = given.byteLength - 4;
    return true;
  }
}

/** What white space has contained since this was last reset: NDJSON lines may contain no newline. */
export const space = { newline: false };

/** Offset of the first byte at or after `at` that is not JSON white space; the length of the bytes if there is none. */
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
