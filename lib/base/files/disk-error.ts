import { codeOf } from '../errors.ts';

const OF_DISK = /^(?:SQLITE_(?:FULL|IOERR|READONLY|CANTOPEN).*|ENOSPC|EDQUOT|EFBIG|EROFS|EACCES|EIO)$/;

/** Whether an error of Node or SQLite says that a disk is full, fails or may not be written. */
export const isOfDisk = (error: unknown): boolean => OF_DISK.test(codeOf(error));
