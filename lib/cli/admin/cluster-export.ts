import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { readConfig } from '../../base/config/config.ts';
import { UsageError } from '../command.ts';
import { BY_OPERATOR, clickHouseOf, controlCommand } from './admin-command.ts';

export const clusterExport = controlCommand({
  usage: 'export <project> <file>',
  summary: 'Export a project of the cluster to one file: events, profiles, settings and dashboards',
  examples: [
    ['wl admin cluster export prj_… shop.windlass', 'for `wl admin project import` on a host with a data folder'],
    ['wl admin cluster export prj_… shop.windlass --keep-keys', 'with its keys and tokens, in clear'],
  ],
  options: {
    project: { type: 'string', demandOption: true, describe: 'Id of the project' },
    file: { type: 'string', demandOption: true, describe: 'File to create' },
    'keep-keys': { type: 'boolean', default: false, describe: 'Include keys and tokens' },
  },
  completes: { file: 'file' },
  run: async ({ project, file, ...args }, control, data) => {
    const target = resolve(file);
    if (existsSync(target)) throw new UsageError(`${target} already exists`);
    const store = clickHouseOf(readConfig(process.env));
    const { exportProject } = await import('../../move/export-project.ts');
    const wanted = { project, target, keepKeys: args['keep-keys'], store, data };
    const { name, events, bytes } = await exportProject(control, wanted, BY_OPERATOR);
    return {
      json: { project, file: target, events, bytes },
      text: `${target}: ${name}, ${events} events, ${bytes} bytes`,
    };
  },
});
