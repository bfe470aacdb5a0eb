import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { AppError } from '../../base/errors.ts';
import { checkHeld, LOCK_FILE, lockedFile } from '../../base/files/locked-file.ts';
import { makePrivate } from '../../base/files/private-files.ts';
import { CONTROL_FILE } from '../database.ts';

/** How often a server looks whether its lock is still there. Milliseconds. */
const LOOK = 250;
/** Who finds data without a lock waits so long: a server whose lock was removed has ended by then. Milliseconds. */
const GRACE = 4 * LOOK;

/**
 * The right to be the one server of a data folder: an exclusive SQLite lock that is held as long as the process lives,
 * and that the kernel releases however it ends. `wl admin` does not take it.
 */
export class DataLock {
  /** A database that nothing refers to is closed when garbage is collected, and its lock is gone. */
  static readonly #held = new Set<DataLock>();
  readonly #db: Database.Database;
  readonly #folder: string;
  #watch: NodeJS.Timeout | null = null;

  private constructor(db: Database.Database, folder: string) {
    this.#db = db;
    this.#folder = folder;
  }

  /** Makes the folder when it is missing. Throws AppError `conflict` when another server has it. */
  static acquire(dataFolder: string): DataLock {
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
    const removed = lockedFile(dataFolder) === null && existsSync(join(dataFolder, CONTROL_FILE));
    makePrivate(join(dataFolder, LOCK_FILE));
    const db = new Database(join(dataFolder, LOCK_FILE), { timeout: 0 });
    try {
      db.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      db.close();
      if (!(error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY'))) throw error;
      throw new AppError('conflict', `another server uses the data folder ${dataFolder}`, {
        hints: ['stop it first, or set WINDLASS_DATA to a folder of its own'],
      });
    }
    if (removed) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, GRACE);
    const lock = new DataLock(db, dataFolder);
    DataLock.#held.add(lock);
    return lock;
  }

  /** Whether a server has the folder now. Looks for a moment, and changes nothing. */
  static isHeld(dataFolder: string): boolean {
    const file = join(dataFolder, LOCK_FILE);
    if (!existsSync(file)) return false;
    const db = new Database(file, { readonly: true, timeout: 0 });
    try {
      db.prepare('SELECT count(*) FROM sqlite_master').get();
      return false;
    } catch (error) {
      if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) return true;
      throw error;
    } finally {
      db.close();
    }
  }

  /** Calls `onLost`, once, when the lock file is removed or replaced. Those who write look before every write besides. */
  watch(onLost: (error: unknown) => void): void {
    const locked = lockedFile(this.#folder);
    this.#watch = setInterval(() => {
      try {
        if (locked !== null) checkHeld(locked);
      } catch (error) {
        this.#unwatch();
        onLost(error);
      }
    }, LOOK);
  }

  release(): void {
    this.#unwatch();
    this.#db.close();
    DataLock.#held.delete(this);
  }

  #unwatch(): void {
    if (this.#watch !== null) clearInterval(this.#watch);
    this.#watch = null;
  }
}
