/** A disk that is full of files: it has free bytes, and says all the same that no space is left. */
import fs from 'node:fs';
import { AppError, codeOf } from '../base/errors.ts';

/** Where no file can be made, SQLite says that it cannot open one: the log of a shard, and its index. */
const MAY_BE = /\((?:ENOSPC|SQLITE_FULL|SQLITE_CANTOPEN|SQLITE_IOERR)/;

/** The same error; if its reason is that the file system of the data folder has no free inodes, one that says so. */
export function ofInodes(error: AppError, folder: string, look: (folder: string) => Inodes = fs.statfsSync): AppError {
  if (error.data.code !== 'storage_unavailable' || !MAY_BE.test(error.message)) return error;
  const { files, ffree } = inodesOf(folder, look);
  if (files === 0 || ffree > 0) return error; // 0: such a file system makes them as needed
  return new AppError(
    'storage_unavailable',
    'the file system of the data folder has no free inodes, so no file can be made there, whatever bytes are free; nothing of this request was stored',
    {
      hints: [
        'The operator has to remove files from that file system (`df -i` shows what it has), or to move the data folder to one with more inodes.',
        'Send the same request again later: events with an insert_id are counted once.',
      ],
    },
  );
}

type Inodes = Pick<fs.StatsFs, 'files' | 'ffree'>;

/** Nothing is known of a disk that does not answer. */
function inodesOf(folder: string, look: (folder: string) => Inodes): Inodes {
  try {
    return look(folder);
  } catch (error) {
    if (codeOf(error) === '') throw error;
    return { files: 0, ffree: 0 };
  }
}
