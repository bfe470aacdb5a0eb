/** A finished backup, which is named after the time it began. */
import type { ReadLog } from '../erasures/log-file.ts';
import type { BackedUpFile, Manifest } from './manifest.ts';

export interface FinishedBackup {
  /** Sorts in the order in which backups were made. */
  readonly time: string;
  /** For people, and for a restore. */
  readonly name: string;
  /** Rejects with AppError if it cannot be read or is of a newer release. */
  readonly manifest: () => Promise<Manifest>;
  /** Everything known there about erasures. */
  readonly log: () => Promise<ReadLog>;
  /** Copies a file, making its folder, without checking its content. False: it is missing, or of another length. */
  readonly fetch: (file: BackedUpFile, to: string) => Promise<boolean>;
  /** Its manifest goes first: what is half removed is no backup. */
  readonly remove: () => Promise<void>;
}

const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$/;

export const backupName = (time: number): string => new Date(time).toISOString().replace(/[:.]/g, '-');

/**
 * The name of a backup that begins at `time`. Names sort in the order in which backups were made, also after the clock was set
 * back: otherwise a restore would take an earlier one for the newest, and pruning would remove what was just made.
 * @param last Name of the newest there is; '': there is none.
 */
export function nextName(last: string, time: number): string {
  const name = backupName(time);
  return name > last ? name : backupName(timeOf(last) + 1);
}

const timeOf = (name: string): number => Date.parse(name.replace(/(T\d\d)-(\d\d)-(\d\d)-/, '$1:$2:$3.'));

export const isBackupName = (name: string): boolean => NAME.test(name);
