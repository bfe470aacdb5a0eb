import { join, resolve } from 'node:path';
import { checkWhole, forgetErased } from '../../../backup/extract-project.ts';
import { placeProject, workIn } from '../../../backup/place-project.ts';
import { readHead, readProjectFile } from '../../../backup/project-file.ts';
import { projectJson } from '../../../control/json.ts';
import { ERASURE_LOG, readLog } from '../../../erasures/log-file.ts';
import { shardPath } from '../../../shards/file/shard-file.ts';
import { recordText } from '../../text.ts';
import { BY_OPERATOR, controlCommand, onlyOrganization } from '../admin-command.ts';
import { flag, optional } from '../../command.ts';

export const projectImport = controlCommand({
  usage: 'import <file>',
  summary: 'Import a project that `wl admin project export` wrote, while the service runs, and print its keys',
  examples: [
    ['wl admin project import shop.windlass --org org_…', 'a new project with new keys'],
    ['wl admin project import shop.windlass --keep-keys', 'clients keep using their keys'],
  ],
  options: {
    file: { type: 'string', demandOption: true, describe: 'The exported project' },
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
      checkWhole(parcel.id, shard);
      forgetErased(work, parcel.id, { control, entries: readLog(join(data, ERASURE_LOG)).entries });
      const wanted = { data, shard, parcel, orgId, name: args.name ?? parcel.name, keepKeys: args['keep-keys'] };
      const { project, secretKey } = await placeProject(control, wanted, BY_OPERATOR);
      const { id, name, publicKey } = project;
      return {
        json: { ...projectJson(project), secret_key: secretKey },
        text: recordText({ id, name, public_key: publicKey, secret_key: secretKey }),
      };
    });
  },
});
