/** `wl admin restore DIR --project`: one project of a backup, into a host that goes on. */
import { placeProject, workIn } from '../../backup/place-project.ts';
import { projectOfBackup } from '../../backup/project-of-backup.ts';
import { backupsIn } from '../../backup/series.ts';
import { requireData } from '../../control/check.ts';
import { ControlDatabase } from '../../control/database.ts';
import { projectJson } from '../../control/json.ts';
import type { Terminal } from '../terminal.ts';
import { recordText } from '../text.ts';
import { BY_OPERATOR, type DataFolder, type Outcome } from './admin-command.ts';
import { onlyOrganization } from './only-organization.ts';

export interface ProjectRestore {
  /** A backup, or a folder of backups, of which the newest is meant. */
  readonly from: string;
  readonly project: string;
  readonly org: string | undefined;
  readonly name: string | undefined;
}

/** As a new project with keys of its own, in the organization of the one that it is a copy of. */
export async function restoreAsNew(
  { from, project, org, name }: ProjectRestore,
  { path: data, secret, config }: DataFolder,
  terminal: Terminal,
): Promise<Outcome> {
  requireData(data);
  const backup = backupsIn(from).at(-1) ?? from;
  const control = ControlDatabase.open(data, { secret });
  try {
    const orgId =
      org === undefined
        ? (control.findProject(project)?.orgId ?? onlyOrganization(control))
        : control.organization(org).id;
    return await workIn(data, async (work) => {
      terminal.status('copying what is in the backup');
      const wanted = { from: backup, project, work, settings: config, data, control, secret };
      const { parcel, shard, beganAt, erasedEvents } = await projectOfBackup(wanted);
      const called = name ?? `${parcel.name} as of ${beganAt.slice(0, 16).replace('T', ' ')}`;
      const made = placeProject(control, { data, shard, parcel, orgId, name: called, keepKeys: false }, BY_OPERATOR);
      const { id, publicKey } = made.project;
      const json = {
        ...projectJson(made.project),
        secret_key: made.secretKey,
        backup,
        began_at: beganAt,
        erased_events: erasedEvents,
      };
      return {
        json,
        text: recordText({ id, name: called, public_key: publicKey, secret_key: made.secretKey, began_at: beganAt }),
      };
    });
  } finally {
    terminal.status('');
    control.close();
  }
}
