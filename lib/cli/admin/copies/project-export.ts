import { existsSync, renameSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { extractProject, forgetErased } from '../../../backup/extract-project.ts';
import { workAt } from '../../../backup/place-project.ts';
import { writeProjectFile } from '../../../backup/project-file.ts';
import { ERASURE_LOG, readLog } from '../../../erasures/log-file.ts';
import { UsageError, flag } from '../../command.ts';
import { BY_OPERATOR, controlCommand } from '../admin-command.ts';
import { syncPath } from '../../../base/files/sync-path.ts';

export const projectExport = controlCommand({
  usage: 'export <project> <file>',
  summary: 'Export a project to one file while the service runs: events, profiles, settings and dashboards',
  examples: [
    [
      'wl admin project export prj_… shop.windlass',
      'for `wl admin project import` on another host; its keys stay here',
    ],
    [
      'wl admin project export prj_… shop.windlass --keep-keys',
      'with its keys and tokens, in clear: keep the file safe',
    ],
  ],
  options: {
    project: { type: 'string', demandOption: true, describe: 'Id of the project' },
    file: { type: 'string', demandOption: true, describe: 'File to create' },
    'keep-keys': flag('Include keys and tokens'),
  },
  completes: { file: 'file' },
  needsFolder: true,
  run: async (args, control, config, terminal) => {
    const [target, id] = [resolve(args.file), args.project];
    if (existsSync(target)) throw new UsageError(`${target} already exists`);
    const parcel = await control.operator.parcels.pack(id, args['keep-keys']);
    return workAt(target, async (work) => {
      terminal.status('copying the data');
      const shard = await extractProject({ from: config.data, project: id, work, settings: config });
      // A user being erased right now may still be in the copy; the log already has the erasure.
      forgetErased(work, id, { control, entries: readLog(join(config.data, ERASURE_LOG)).entries });
      terminal.status('writing the file');
      const bytes = writeProjectFile(join(work, 'file'), shard, parcel);
      await control.operator.parcels.exported(id, BY_OPERATOR); // throws if it was deleted meanwhile
      renameSync(join(work, 'file'), target);
      syncPath(dirname(target));
      return { json: { project: id, file: target, bytes }, text: `${target}: ${parcel.name}, ${bytes} bytes` };
    });
  },
});
