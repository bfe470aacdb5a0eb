import type { Soon } from '../base/soon.ts';

/** Keeps what was erased, so that no restore brings it back. */
export interface Erasures {
  /** Kept when it returns, or resolves; call before anything is erased. Throws AppError and errors of the file system. */
  userErased(
    projectId: string,
    userId: string,
    of: { readonly devices: readonly string[]; readonly upTo: number },
  ): Soon<void>;
  /** The same for a project. */
  projectDeleted(projectId: string): Soon<void>;
  /** Resolves once every backup has what was logged, or could not be reached and will be retried. */
  reach(): Promise<void>;
  /** How many backups lack something, and the time of the oldest missing entry: milliseconds since the epoch. */
  behind(): Promise<{ readonly targets: number; readonly since: number | null }>;
  /** Retries what failed. */
  watch(): void;
  close(): void;
}
