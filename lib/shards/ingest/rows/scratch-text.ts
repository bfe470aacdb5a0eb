/** Strings as bytes for looking them up, in one buffer that is used again: `bytes[0, write(text))`. */
export class ScratchText {
  bytes: Buffer = Buffer.alloc(4096);

  /** Returns the length in bytes (UTF-8). What was written before is gone. */
  write(text: string): number {
    if (text.length * 3 > this.bytes.length) this.bytes = Buffer.alloc(text.length * 3);
    return this.bytes.write(text, 0, 'utf8');
  }
}
