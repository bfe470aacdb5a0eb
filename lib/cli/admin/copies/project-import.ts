import { join, resolve, dirname } from 'node:path';
import { AppError } from '../../../base/errors.ts';
import { checkWhole, forgetErased, extractProject } from '../../../backup/extract-project.ts';
import { placeProject, workIn, workAt } from '../../../backup/place-project.ts';
import { readHead, readProjectFile, writeProjectFile } from '../../../backup/project-file.ts';
import { projectJson, type ProjectKeysJson } from '../../../control/json.ts';
import { ERASURE_LOG, readLog } from '../../../erasures/log-file.ts';
import { guarded, shardPath } from '../../../shards/file/shard-file.ts';
import { printable, recordText } from '../../text.ts';
import { BY_OPERATOR, type CommandResult, controlCommand, onlyOf, onlyOrganization } from '../admin-command.ts';
import { operatorOrgPath } from '../remote-host.ts';
import { projectPath } from '../../project/admin-api.ts';
import { flag, optional, UsageError, positional } from '../../command.ts';
import { createReadStream, createWriteStream, existsSync, renameSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { fileSize } from '../../../base/files/file-size.ts';
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
      return imported({ ...projectJson(project), secret_key: secretKey });
    });
  },
  remote: async (args, host, terminal) => {
    if (args['keep-keys']) throw keepsNoKeys();
    const file = resolve(args.file);
    readHead(file);
    const orgId = args.org ?? onlyOf(await host.firstTwo());
    terminal.status('sending the file');
    const path = `${operatorOrgPath(orgId)}/projects/import`;
    return imported(await host.upload(path, { name: args.name }, createReadStream(file)));
  },
});

function imported(json: ProjectKeysJson): CommandResult {
  const { id, name, public_key, secret_key } = json;
  return { json, text: recordText({ id, name, public_key, secret_key }) };
}

const keepsNoKeys = (): UsageError =>
  new UsageError('--keep-keys works only on the machine of the service, so without --host');

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
  summary: 'Export a project to one file while the service runs: events, profiles, settings, dashboards, cohorts, alerts and saved questions',
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
    const [target, id] = [newFile(args.file), args.project];
    const parcel = await control.operator.parcels.pack(id, args['keep-keys']);
    return workAt(target, async (work) => {
      terminal.status('copying the data');
      const shard = await extractProject(config.data, { project: id, work, settings: config });
      // A user being erased right now may still be in the copy; the log already has the erasure.
      forgetErased(work, id, { control, entries: readLog(join(config.data, ERASURE_LOG)).entries });
      terminal.status('writing the file');
      const bytes = writeProjectFile(join(work, 'file'), shard, parcel);
      await control.operator.parcels.exported(id, BY_OPERATOR); // throws if it was deleted meanwhile
      return placed(target, work, { id, name: parcel.name, bytes });
    });
  },
  remote: async (args, host, terminal) => {
    if (args['keep-keys']) throw keepsNoKeys();
    const [target, id] = [newFile(args.file), args.project];
    const { name } = await host.ask<ProjectKeysJson>('GET', projectPath(id));
    return workAt(target, async (work) => {
      terminal.status('waiting for the file');
      const file = join(work, 'file');
      await pipeline(await host.download(`${projectPath(id)}/export`), createWriteStream(file, { mode: 0o600, flush: true }));
      readHead(file); // a page of a proxy is none
      return placed(target, work, { id, name, bytes: fileSize(file) });
    });
  },
}); // prettier-ignore

/** Throws UsageError if it is there. */
function newFile(file: string): string {
  const target = resolve(file);
  if (existsSync(target)) throw new UsageError(`${target} already exists`);
  return target;
}

/** Gives the file that was written in `work` its name. */
function placed(
  target: string,
  work: string,
  { id, name, bytes }: { readonly id: string; readonly name: string; readonly bytes: number },
): CommandResult {
  renameSync(join(work, 'file'), target);
  syncPath(dirname(target));
  return { json: { project: id, file: target, bytes }, text: `${target}: ${printable(name)}, ${bytes} bytes` };
}
