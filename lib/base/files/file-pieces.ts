import fs from 'node:fs';
import { openedFile } from './opened-file.ts';

/** The bytes of a file from an offset on, a mebibyte at a time. Throws what opening and reading throw. */
export function* filePieces(file: string, from = 0): Generator<Buffer> {
  using opened = openedFile(file, 'r');
  for (let at = from; ;) {
    const piece = Buffer.allocUnsafe(1 << 20);
    const read = fs.readSync(opened.fd, piece, 0, piece.length, at);
    if (read === 0) return;
    yield piece.subarray(0, read);
    at += read;
  }
}
