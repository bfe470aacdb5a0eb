import fs from 'node:fs';
import { openedFile } from './opened-file.ts';

/** Brings the content of a file, or the names of a folder, to the disk: a new or removed name is there only then. */
export function syncPath(path: string): void {
  using file = openedFile(path, 'r');
  fs.fsyncSync(file.fd);
}
