import { readConfig } from '../../base/config/config.ts';
import { clickHouseOf, controlCommand } from './admin-command.ts';

export const clusterEraseAgain = controlCommand({
  usage: 'erase-again',
  summary: 'Erase from a restored ClickHouse what was erased since its backup, before the first node starts',
  examples: [['wl admin cluster erase-again', 'after a restore: users by the log of erasures, and deleted projects']],
  options: {},
  run: async (_args, control, data) => {
    const store = clickHouseOf(readConfig(process.env));
    const { eraseAgain } = await import('../../move/erase-again.ts');
    const { projects, users, events } = await eraseAgain(control, { store, data });
    return {
      json: { deleted_projects: projects, users, events },
      text: `Erased again: ${projects.length} deleted projects, ${users} users with ${events} events.`,
    };
  },
});
