/**
 * A lock on a file that the kernel releases however its process ends: an exclusive one of SQLite. The number of a process says
 * nothing of the kind, as the next one may get the same: in a container, it usually does.
 */
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';

export class ExclusiveLock implements Disposable {
  /** An unreferenced database is closed by garbage collection, and its lock is lost. */
  static readonly #held = new Set<ExclusiveLock>();
  readonly #db: Database.Database;

  private constructor(db: Database.Database) {
    this.#db = db;
    ExclusiveLock.#held.add(this);
  }

  /** Creates a missing file. null: somebody has the lock. Throws the error of SQLite if the file cannot be used. */
  static take(file: string): ExclusiveLock | null {
    const db = new Database(file, { timeout: 0 });
    try {
      db.exec('BEGIN EXCLUSIVE');
      return new ExclusiveLock(db);
    } catch (error) {
      db.close();
      if (isBusy(error)) return null;
      throw error;
    }
  }

  /** Whether somebody has the lock now. Looks briefly and changes nothing. */
  static isHeld(file: string): boolean {
    if (!existsSync(file)) return false;
    const db = new Database(file, { readonly: true, timeout: 0 });
    try {
      db.prepare('SELECT count(*) FROM sqlite_master').get();
      return false;
    } catch (error) {
      if (isBusy(error)) return true;
      throw error;
    } finally {
      db.close();
    }
  }

  [Symbol.dispose](): void {
    this.#db.close();
    ExclusiveLock.#held.delete(this);
  }
}

const isBusy = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
