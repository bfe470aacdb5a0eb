import { codeOfDisk } from '../errors.ts';

/** Not the disk's doing: others hold the database, or descriptors are lacking. */
const OF_OTHERS = /^(?:SQLITE_(?:BUSY|LOCKED|PROTOCOL)|E[MN]FILE$|ERR_)/;

/** Whether an error of Node or SQLite says that a disk is full, fails or may not be written. */
export function isOfDisk(error: unknown): boolean {
  const code = codeOfDisk(error);
  return code !== null && !OF_OTHERS.test(code);
}
