import { setTimeout as sleep } from 'node:timers/promises';
import { storageError } from '../../control/connection.ts';
import { DataLock } from '../../control/data-lock.ts';
import { ControlDatabase } from '../../control/database.ts';
import { AppError } from '../../errors.ts';
import { removeProject } from '../../shards/remove-project.ts';
import { UsageError } from '../command.ts';
import { BY_OPERATOR, folderCommand } from './admin-command.ts';

/** Time that a running server has to remove the files, and how often it is looked whether it has. Milliseconds. */
const PATIENCE = 60_000;
const POLL = 50;

export const projectDelete = folderCommand({
  usage: 'delete <project>',
  summary: 'Delete a project with all its events, beside a running service too',
  examples: [['wl admin project delete prj_… --name "My project"', 'its id and its name must match']],
  options: {
    project: { type: 'string', demandOption: true, describe: 'Id of the project' },
    name: {
      type: 'string',
      demandOption: true,
      requiresArg: true,
      describe: 'Name of the project, so that no other goes',
    },
  },
  run: async ({ project: id, name }, { path, secret }) => {
    const control = ControlDatabase.open(path, { secret });
    try {
      const project = control.findProject(id);
      if (project === null) throw new AppError('not_found', `there is no project "${id}"`);
      if (project.name !== name) throw new UsageError(`the project is not named "${name}"`);
      control.deleteProject(id, BY_OPERATOR);
      await purge(control, path, id);
      return { json: { deleted: true, id }, text: `deleted ${id}` };
    } catch (error) {
      throw storageError(error);
    } finally {
      control.close();
    }
  },
});

/** Resolves when no byte of the project is in any file: a running server removes them, or this process does. */
async function purge(control: ControlDatabase, folder: string, id: string): Promise<void> {
  const until = performance.now() + PATIENCE;
  while (control.unpurgedProjects().includes(id)) {
    const lock = tryLock(folder);
    if (lock !== null) {
      try {
        removeProject(folder, id);
        control.markPurged(id);
      } finally {
        lock.release();
      }
      return;
    }
    if (performance.now() > until) {
      throw new AppError(
        'storage_unavailable',
        'the project is deleted, but the server has not removed its files yet',
        {
          hints: ['It tries again every minute; its log says what is in the way.'],
        },
      );
    }
    await sleep(POLL);
  }
}

/** null: a server runs. */
function tryLock(folder: string): DataLock | null {
  try {
    return DataLock.acquire(folder);
  } catch (error) {
    if (error instanceof AppError && error.data.code === 'conflict') return null;
    throw error;
  }
}
