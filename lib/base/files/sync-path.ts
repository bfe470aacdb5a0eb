import fs from 'node:fs';

/** Brings the content of a file, or the names of a folder, to the disk: a new or removed name is there only then. */
export function syncPath(path: string): void {
  const fd = fs.openSync(path, 'r');
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}
