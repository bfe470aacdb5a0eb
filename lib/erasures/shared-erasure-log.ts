/** The log of erasures of nodes that share a control database: in that, so any of them can repeat what another has erased. */
import type { ControlDatabase } from '../control/database.ts';
import type { Erasures } from './erasures.ts';

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
    projectDeleted: () => undefined, // the control database knows already
    reach: async () => undefined, // there are no copies at backups: each engine makes its own
    behind: async () => ({ targets: 0, since: null }),
    watch: () => undefined,
    close: () => undefined,
  };
}
