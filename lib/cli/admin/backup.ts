import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { checkControl } from '../../control/check.ts';
import { CONTROL_FILE, ControlDatabase } from '../../control/database.ts';
import { SECRET_FILE } from '../../control/secret-file.ts';
import { SCRIPTS_FOLDER } from '../../scripts-folder.ts';
import { backupEvents } from '../../shards/backup.ts';
import { UsageError } from '../command.ts';
import { folderCommand, type DataFolder } from './admin-command.ts';

export const backup = folderCommand({
  usage: 'backup <dir>',
  summary: 'Copy the data folder, beside a running service or without one, into a new folder that can be served',
  examples: [['wl admin backup /backup/2026-01-31', 'then: wl serve --data /backup/2026-01-31']],
  options: { dir: { type: 'string', demandOption: true, describe: 'Folder to make; must be empty when it is there' } },
  completes: { dir: 'file' },
  run: async ({ dir }, folder) => {
    checkControl(folder.path);
    const target = resolve(dir);
    if (existsSync(target) && readdirSync(target).length > 0) throw new UsageError(`${target} is not empty`);
    // Made beside and renamed: what has the name is whole.
    const draft = `${target}.partial-${process.pid}`;
    mkdirSync(dirname(target), { recursive: true });
    mkdirSync(draft, { mode: 0o700 });
    try {
      const projects = await copy(folder, draft);
      renameSync(draft, target);
      return { json: { backup: target, projects }, text: `${target}: ${projects} projects` };
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  },
});

/** The control database goes last: it then knows every project whose shard is there. Answers how many shards are. */
async function copy({ path, secret }: DataFolder, draft: string): Promise<number> {
  const names = await backupEvents(path, draft);
  const control = ControlDatabase.open(path, { secret });
  try {
    await control.backup(join(draft, CONTROL_FILE));
    if (existsSync(join(path, SECRET_FILE))) copyFileSync(join(path, SECRET_FILE), join(draft, SECRET_FILE));
    const scripts = join(path, SCRIPTS_FOLDER);
    if (existsSync(scripts)) cpSync(scripts, join(draft, SCRIPTS_FOLDER), { recursive: true });
    const deleted = names.filter((name) => control.findProject(name.replace(/\.db$/, '')) === null);
    for (const name of deleted) rmSync(join(draft, 'shards', name), { force: true });
    return names.length - deleted.length;
  } finally {
    control.close();
  }
}
