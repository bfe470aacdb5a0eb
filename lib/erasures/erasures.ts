import { AppError } from '../base/errors.ts';
import type { ControlDatabase } from '../control/database.ts';

/** Keeps what was erased, so that no restore brings it back. */
export interface Erasures {
  /** Kept when it returns, or resolves; call before anything is erased. Throws AppError and errors of the file system. */
  userErased(
    projectId: string,
    userId: string,
    of: { readonly devices: readonly string[]; readonly upTo: number },
  ): void | Promise<void>;
  /** The same for events: texts of an `ArrivalSet`. */
  eventsDeleted(projectId: string, arrivals: readonly string[]): void | Promise<void>;
  /** The same for a project. */
  projectDeleted(projectId: string): void | Promise<void>;
  /** Resolves once every backup has what was logged, or could not be reached and will be retried. */
  reach(): Promise<void>;
  /** How many backups lack something, and the time of the oldest missing entry: milliseconds since the epoch. */
  behind(): Promise<{ readonly targets: number; readonly since: number | null }>;
  /** Retries what failed. */
  watch(): void;
  close(): void;
}

/** Of nodes that share a control database: in that, so any of them can repeat what another has erased. */
export function sharedErasureLog(control: Pick<ControlDatabase, 'erasedUsers' | 'hashId'>): Erasures {
  return {
    userErased: (projectId, userId, { devices, upTo }) => {
      const hash = (id: string): string => control.hashId(projectId, id);
      return control.erasedUsers.add(projectId, {
        at: Date.now(),
        user: hash(userId),
        devices: devices.map(hash),
        upTo,
      });
    },
    eventsDeleted: () => {
      throw new AppError(
        'not_available',
        'Where nodes share a control database, events cannot be deleted by a condition yet.',
      );
    },
    projectDeleted: () => undefined, // the control database knows already
    reach: async () => undefined, // there are no copies at backups: each engine makes its own
    behind: async () => ({ targets: 0, since: null }),
    watch: () => undefined,
    close: () => undefined,
  };
}
