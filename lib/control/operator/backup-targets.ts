/** Folders with backups of a data folder. Each has a copy of the erasure log, so that no restore brings back erased users. */
import { AppError } from '../../base/errors.ts';
import type { ControlConnection } from '../storage/connection.ts';

/** Every erasure is written to each of them before its answer. */
export const MAX_BACKUP_TARGETS = 8;

export interface BackupTarget {
  readonly path: string;
  /** Bytes of the data folder's erasure log known to be there. */
  readonly synced: number;
}

/** `data` is the path of the data folder: a copy elsewhere, as for a trial, has no targets until it makes a backup. */
export class BackupTargets {
  readonly #connection: ControlConnection;

  constructor(connection: ControlConnection) {
    this.#connection = connection;
  }

  list(data: string): readonly BackupTarget[] {
    return this.#connection.rows('SELECT path, synced FROM backup_targets WHERE data = ? ORDER BY path', data);
  }

  /** Throws AppError `limit_reached` if there is no room for another. */
  checkRoom(data: string, path: string): void {
    const others = this.list(data).filter((target) => target.path !== path);
    if (others.length < MAX_BACKUP_TARGETS) return;
    throw new AppError('limit_reached', `backups of ${data} are in ${others.length} folders already`, {
      hints: [
        `every erasure is written to each: forget one you no longer use, \`wl admin backup ${others[0]!.path} --forget\``,
      ],
    });
  }

  /** A backup was made there: how much of the log it has is unknown. */
  add(data: string, path: string): void {
    this.#write('INSERT OR REPLACE INTO backup_targets (data, path, synced) VALUES (?, ?, 0)', data, path);
  }

  /** False: it was unknown. */
  remove(data: string, path: string): boolean {
    return this.#write('DELETE FROM backup_targets WHERE data = ? AND path = ?', data, path) > 0;
  }

  synced(data: string, path: string, bytes: number): void {
    this.#write('UPDATE backup_targets SET synced = ? WHERE data = ? AND path = ?', bytes, data, path);
  }

  /** The erasure log was replaced: what each target has of it is unknown. */
  startAgain(): void {
    this.#write('UPDATE backup_targets SET synced = 0');
  }

  #write(sql: string, ...values: readonly (string | number)[]): number {
    return this.#connection.write(() => this.#connection.run(sql, ...values));
  }
}
