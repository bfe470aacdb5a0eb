/** The bytes of a log, of which no more is read than is asked for: a log is as long as all that was ever erased. */
import { BYTE } from '../base/text/byte.ts';
import fs from 'node:fs';
import { fileSize } from '../base/files/file-size.ts';
import { openedFile } from '../base/files/opened-file.ts';

/** In memory (a Buffer), or in a file. */
export interface LogBytes {
  readonly length: number;
  subarray(from: number, to?: number): Buffer;
}

/** Read at once to find the end of the last line. */
const TAIL = 4_096; // bytes

/** The whole lines that a file has when this is made. Empty if there is no file. */
export class LogFileBytes implements LogBytes {
  readonly length: number;
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
    this.length = this.#wholeLines();
  }

  /** Throws errors of the file system. */
  subarray(from: number, to = this.length): Buffer {
    const bytes = Buffer.allocUnsafe(Math.max(0, to - from));
    if (bytes.length === 0) return bytes;
    using log = openedFile(this.#file, 'r');
    for (let at = 0; at < bytes.length;) {
      const read = fs.readSync(log.fd, bytes, at, bytes.length - at, from + at);
      if (read === 0) return bytes.subarray(0, at);
      at += read;
    }
    return bytes;
  }

  #wholeLines(): number {
    for (let to = fileSize(this.#file); to > 0; to = Math.max(0, to - TAIL)) {
      const from = Math.max(0, to - TAIL);
      const feed = this.subarray(from, to).lastIndexOf(BYTE.lineFeed);
      if (feed >= 0) return from + feed + 1;
    }
    return 0;
  }
}
