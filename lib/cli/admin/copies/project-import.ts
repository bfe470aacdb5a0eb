import { join, resolve, dirname } from 'node:path';
import { AppError } from '../../../base/errors.ts';
import { checkWhole, forgetErased, extractProject } from '../../../backup/extract-project.ts';
import { placeProject, workIn, workAt } from '../../../backup/place-project.ts';
import { readHead, readProjectFile, writeProjectFile } from '../../../backup/project-file.ts';
import { projectJson } from '../../../control/json.ts';
import { ERASURE_LOG, readLog } from '../../../erasures/log-file.ts';
import { guarded, shardPath } from '../../../shards/file/shard-file.ts';
import { recordText } from '../../text.ts';
import { BY_OPERATOR, controlCommand, onlyOrganization } from '../admin-command.ts';
import { flag, optional, UsageError, positional } from '../../command.ts';
import { existsSync, renameSync } from 'node:fs';
import { syncPath } from '../../../base/files/sync-path.ts';

export const projectImport = controlCommand({
  usage: 'import <file>',
  summary: 'Import a project that `wl admin project export` wrote, while the service runs, and print its keys',
  examples: [
    ['wl admin project import shop.windlass --org org_…', 'a new project with new keys'],
    ['wl admin project import shop.windlass --keep-keys', 'clients keep using their keys'],
  ],
  options: {
    file: positional('The exported project'),
    org: optional('Id of its organization; optional if there is only one'),
    name: optional('Name of the new project (default: unchanged)'),
    'keep-keys': flag('Restore the keys and tokens in the file'),
  },
  completes: { file: 'file' },
  needsFolder: true,
  run: async (args, control, { data }, terminal) => {
    const file = resolve(args.file);
    readHead(file);
    const orgId =
      args.org === undefined ? await onlyOrganization(control) : (await control.organizations.get(args.org)).id;
    return workIn({ data, control }, async (work) => {
      terminal.status('copying the file');
      const { project: parcel } = readProjectFile(file, (id) => shardPath(work, id));
      const shard = shardPath(work, parcel.id);
      const { entries } = readLog(join(data, ERASURE_LOG));
      const wanted = { data, shard, parcel, orgId, name: args.name ?? parcel.name, keepKeys: args['keep-keys'] };
      const { project, secretKey } = await damageOf(file, () => {
        checkWhole(parcel.id, shard);
        guarded(shard, () => forgetErased(work, parcel.id, { control, entries }));
        return placeProject(control, wanted, BY_OPERATOR);
      });
      const { id, name, publicKey } = project;
      return {
        json: { ...projectJson(project), secret_key: secretKey },
        text: recordText({ id, name, public_key: publicKey, secret_key: secretKey }),
      };
    });
  },
});

/** What is found wrong with the data is so in the file. */
async function damageOf<T>(file: string, use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    if (!(error instanceof AppError) || error.data.code !== 'shard_damaged') throw error;
    const { message, cause } = error.data;
    const why = cause === undefined ? '' : ` (${cause.split('\n', 1)[0]})`;
    throw new AppError('bad_request', `${file} cannot be imported: ${message}${why}`, {
      hints: ['nothing was changed; export the project again with `wl admin project export`'],
    });
  }
}

export const projectExport = controlCommand({
  usage: 'export <project> <file>',
  summary: 'Export a project to one file while the service runs: events, profiles, settings, dashboards and cohorts',
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
    project: positional('Id of the project'),
    file: positional('File to create'),
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
      const shard = await extractProject(config.data, { project: id, work, settings: config });
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
