import { resolve } from 'node:path';
import { restoreBackup } from '../../backup/restore.ts';
import type { CarriedOver } from '../../backup/carry-over.ts';
import { isoTime } from '../../control/json.ts';
import { folderCommand } from './admin-command.ts';

export const restore = folderCommand({
  usage: 'restore <dir>',
  summary: 'Put a backup in the place of the data folder, while no service runs on it',
  examples: [
    ['wl admin restore /backup/windlass', 'the backup, or the newest in a folder of backups'],
    ['wl admin restore /backup/windlass/2026-01-31T03-00-00-000Z --force', 'that one, though the data is newer'],
  ],
  options: {
    dir: { type: 'string', demandOption: true, describe: 'A backup, or a folder of backups' },
    force: { type: 'boolean', default: false, describe: 'Replace data that is newer; it is moved aside' },
  },
  completes: { dir: 'file' },
  endsRestores: true,
  run: async ({ dir, force }, { path, secret }, terminal) => {
    const onFile = (done: number, of: number): void => terminal.status(`${done} of ${of} files`);
    try {
      const { backup, beganAt, projects, replaced, since } = restoreBackup({
        from: resolve(dir),
        data: path,
        ...{ secret, force, onFile },
      });
      const aside = replaced === null ? '' : `\nThe data of before is in ${replaced}: remove it when nobody needs it.`;
      return {
        json: {
          ...{ data: path, backup, began_at: beganAt, projects, replaced },
          deleted: since?.deleted ?? null,
          erase_again: since?.eraseAgain.map((each) => ({ ...each, at: isoTime(each.at) })) ?? null,
        },
        text: `${path}: ${projects} projects, as of ${beganAt}, from ${backup}${aside}\n${sinceText(since)}`,
      };
    } finally {
      terminal.status('');
    }
  },
});

/** What an operator has to do so that nobody who was erased is asked about again. */
function sinceText(since: CarriedOver | null): string {
  if (since === null) {
    return 'What was erased or deleted since the backup began is not known here: erase it again before anybody asks.';
  }
  const { deleted, eraseAgain } = since;
  const gone = deleted.length === 0 ? [] : [`Deleted since, and gone again: ${deleted.join(', ')}`];
  const again = eraseAgain.map(
    ({ project, user, at }) => `Erase again: user ${user} of ${project}, erased ${isoTime(at)}`,
  );
  return [...gone, ...again].join('\n') || 'Nothing was erased or deleted since.';
}
