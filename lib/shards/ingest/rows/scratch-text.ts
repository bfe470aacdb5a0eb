/** Strings as bytes, for lookups, in one reused buffer: `bytes[0, write(text))`. */
export class ScratchText {
  bytes: Buffer = Buffer.alloc(4096);

  /** Returns the length in bytes (UTF-8). Overwrites the previous text. */
  write(text: string): number {
    if (text.length * 3 > this.bytes.length) this.bytes = Buffer.alloc(text.length * 3);
    return this.bytes.write(text, 0, 'utf8');
  }
}

/** The text of bytes[start, end), which are UTF-8. */
export const textOf = (bytes: Uint8Array, start: number, end: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
