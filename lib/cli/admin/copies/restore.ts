import { openSource } from '../../../backup/source.ts';
import { bucketAccess } from '../../../buckets/access.ts';
import { restoreBackup, type ErasureSources, type Restored } from '../../../backup/restore.ts';
import { isoTime } from '../../../base/day.ts';
import { UsageError, flag, optional, positional } from '../../command.ts';
import { folderCommand, targetOf } from '../admin-command.ts';
import { restoreAsNew, restoreInPlace } from './restore-project.ts';
import { counted } from '../../text.ts';

export const restore = folderCommand({
  usage: 'restore <dir>',
  summary: 'Restore the data folder from a backup, with the service stopped; or one project, while it runs',
  examples: [
    ['wl admin restore /backup/windlass', 'the backup, or the newest one in a folder'],
    ['wl admin restore s3://backups/windlass', 'the newest in a bucket'],
    ['wl admin restore /backup/windlass/2026-01-31T03-00-00-000Z --force', 'that backup, even if the data is newer'],
    [
      'wl admin restore /backup/windlass --project prj_… --force',
      'the events and profiles of one project, as they were',
    ],
    ['wl admin restore /backup/windlass --project prj_… --as-new', 'a copy of one project, to see what was in it'],
  ],
  options: {
    dir: positional('A backup, or a folder or bucket of backups'),
    force: flag('Replace newer data, which is moved aside'),
    project: optional('Only this project; works while the service runs'),
    'as-new': flag('With --project: restore as a new project, with its own keys'),
    org: optional('With --as-new: id of its organization (default: unchanged)'),
    name: optional('With --as-new: name of the new project'),
  },
  completes: { dir: 'file' },
  whileRestoring: true, // and finishes it
  run: async ({ dir, force, project, org, name, ...args }, config, terminal) => {
    const { data, secret } = config;
    if (project === undefined && args['as-new']) throw new UsageError('--as-new needs --project');
    const from = targetOf(dir);
    if (project !== undefined && args['as-new']) return restoreAsNew({ from, project, org, name }, config, terminal);
    if (project !== undefined) return restoreInPlace({ from, project, force }, config, terminal);
    const onFile = (done: number, of: number): void => terminal.status(`${done} of ${of} files`);
    const source = await openSource(from, bucketAccess(config));
    const restored = await restoreBackup({ source, data, secret, force, settings: config, onFile });
    const { backup, beganAt, projects, replaced, deleted, erasedEvents, erasures, damaged: old } = restored;
    const { entries, newest, damaged, former } = erasures;
    const log = { entries, newest_at: newest === null ? null : isoTime(newest), damaged, former_data: former };
    return {
      json: {
        ...{ data, backup, began_at: beganAt, projects, replaced, deleted },
        ...{ damaged: old, erased_events: erasedEvents, erasure_log: log },
      },
      text: textOf(data, restored),
    };
  },
});

function textOf(data: string, restored: Restored): string {
  const { backup, beganAt, projects, replaced, deleted, damaged, erasedEvents, erasures } = restored;
  const lines = [
    `${data}: ${counted(projects, 'project')}, as of ${beganAt}, from ${backup}`,
    ...(replaced === null ? [] : [`The previous data is in ${replaced}: remove it when you no longer need it.`]),
    ...(deleted.length === 0 ? [] : [`Deleted since, and gone again: ${deleted.join(', ')}`]),
    ...damaged.map(({ project, as_of: asOf }) =>
      asOf === null
        ? `Project ${project} was damaged when the backup was made: only its events from the journal are there.`
        : `Project ${project} was damaged when the backup was made: it is as of ${asOf}.`,
    ),
    ...(erasedEvents === 0 ? [] : [`Erased since, and gone again: ${counted(erasedEvents, 'event')}`]),
  ];
  return [...lines, logText(erasures)].join('\n');
}

/** Tells how sure an operator can be that no erased user is back. */
function logText({ entries, newest, damaged, former }: ErasureSources): string {
  const unread = damaged === 0 ? '' : ` ${damaged} lines of it are damaged: users erased there may be back.`;
  if (newest === null) {
    const known = former ? 'The data of before knows of none.' : 'Nobody knows whether anybody was erased since.';
    return `The log of erasures is empty, or was not found.${unread} ${known}`;
  }
  const hours = Math.max(0, (Date.now() - newest) / 3_600_000);
  const age = hours < 48 ? `${hours.toFixed(1)} hours` : `${Math.round(hours / 24)} days`;
  return `The log of erasures has ${entries === 1 ? '1 entry' : `${entries} entries`}, the newest ${age} old (${isoTime(newest)}).${unread}`;
}
