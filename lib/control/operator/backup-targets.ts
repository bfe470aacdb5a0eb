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

  list(data: string): Promise<readonly BackupTarget[]> {
    const targets = this.#connection.db.selectFrom('backup_targets').select(['path', 'synced']);
    return targets.where('data', '=', data).orderBy('path').execute();
  }

  /** Throws AppError `limit_reached` if there is no room for another. */
  async checkRoom(data: string, path: string): Promise<void> {
    const others = (await this.list(data)).filter((target) => target.path !== path);
    if (others.length < MAX_BACKUP_TARGETS) return;
    throw new AppError('limit_reached', `backups of ${data} are in ${others.length} folders already`, {
      hints: [
        `every erasure is written to each: forget one you no longer use, \`wl admin backup ${others[0]!.path} --forget\``,
      ],
    });
  }

  /** A backup was made there: how much of the log it has is unknown. */
  async add(data: string, path: string): Promise<void> {
    await this.#connection.write(() => {
      const insert = this.#connection.db.insertInto('backup_targets').values({ data, path, synced: 0 });
      return insert.onConflict((known) => known.columns(['data', 'path']).doUpdateSet({ synced: 0 })).execute();
    });
  }

  /** False: it was unknown. */
  async remove(data: string, path: string): Promise<boolean> {
    const { numDeletedRows } = await this.#connection.write(() => {
      const targets = this.#connection.db.deleteFrom('backup_targets');
      return targets.where('data', '=', data).where('path', '=', path).executeTakeFirst();
    });
    return numDeletedRows > 0n;
  }

  async synced(data: string, path: string, bytes: number): Promise<void> {
    await this.#connection.write(() => {
      const targets = this.#connection.db.updateTable('backup_targets').set({ synced: bytes });
      return targets.where('data', '=', data).where('path', '=', path).execute();
    });
  }

  /** The erasure log was replaced: what each target has of it is unknown. */
  async startAgain(): Promise<void> {
    await this.#connection.write(() => this.#connection.db.updateTable('backup_targets').set({ synced: 0 }).execute());
  }
}
