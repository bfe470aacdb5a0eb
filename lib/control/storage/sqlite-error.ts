import Database from 'better-sqlite3';
import { AppError } from '../../base/errors.ts';

/** An AppError for what an operator can fix; everything else stays the bug it is. */
export function storageError(error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  if (/^SQLITE_(FULL|IOERR|READONLY|CANTOPEN)/.test(error.code)) {
    return new AppError('storage_unavailable', `the control database cannot be written (${error.code})`, {
      hints: ['look at the free space and the permissions of the data folder'],
    });
  }
  if (/^SQLITE_(BUSY|LOCKED|PROTOCOL)/.test(error.code)) {
    return new AppError('storage_unavailable', 'the control database is held by another process', {
      hints: ['try again in a moment'],
    });
  }
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(error.code)) {
    return new AppError('storage_unavailable', 'the control database is damaged', {
      hints: ['run `wl admin check`, and restore control.db from a backup'],
    });
  }
  return error;
}
