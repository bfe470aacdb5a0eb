/**
 * Moves a data folder to a cluster. While its server goes on, copies what shards have, again and again if wanted; then, with the
 * server stopped, what came since, and the control database. Each run begins with what is there, so it may be killed at any time.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  AppError,
  type Config,
  ControlDatabase,
  copyShard,
  DataLock,
  ERASURE_LOG,
  forgetErased,
  MOVE_FOLDER,
  movedTo,
  noteMoved,
  type OpenEngine,
  readLog,
  removeWithLog,
  sealJournal,
  shardPath,
  usageTotals,
  workAt,
} from '../../../lib/seam.ts';
import { ClickHouse } from '../clickhouse/client.ts';
import { checkSchema } from '../clickhouse/migrate.ts';
import { moveShard, type MovedShard } from '../clickhouse/move/move-events.ts';
import { eraseProject } from '../clickhouse/user-data.ts';
import { copyTables } from '../postgres/copy-tables.ts';
import { PostgresEngine } from '../postgres/postgres-engine.ts';
import { readProjects } from '../clickhouse/names.ts';

export interface FolderImport {
  readonly config: Config & { readonly store: NonNullable<Config['store']> };
  /** Whether the server is stopped, and all is to be moved. */
  readonly finish: boolean;
  readonly onProject: (done: number, of: number) => void;
}

export interface ImportedProject extends MovedShard {
  readonly id: string;
}

export interface Imported {
  readonly projects: readonly ImportedProject[];
  /** Projects that could not be moved, and why. */
  readonly failed: readonly { readonly id: string; readonly error: AppError }[];
  /** Whether the cluster has everything now. */
  readonly finished: boolean;
}

/** Throws AppError `conflict` if another import runs, if the server still runs, or if the folder was moved before. */
export async function importFolder(options: FolderImport): Promise<Imported> {
  const { config } = options;
  const { data, secret, store } = config;
  const moved = movedTo(data);
  if (moved !== null) throw new AppError('conflict', `${data} was moved before: ${moved}`, { hints: ['nothing is left to do'] }); // prettier-ignore
  await checkSchema(store);
  using _ = lockImport(data);
  using stopped = options.finish ? DataLock.acquire(data) : null;
  const finish = stopped !== null;
  await using control = await ControlDatabase.open(data, { secret });
  await using clickHouse = new ClickHouse(store);
  if (finish) sealJournal({ folder: data, ...config, onUsage: (day) => control.usage.record(usageTotals(day)) });
  const imported = await workAt(join(data, MOVE_FOLDER, 'copy'), (work) =>
    importProjects({ ...options, control, clickHouse, work }),
  );
  await forgetDeleted(control, clickHouse);
  if (!finish || imported.failed.length > 0) return { ...imported, finished: false };
  await moveControl(control, config, imported.projects);
  noteMoved(data, `database ${store.database}`);
  return { ...imported, finished: true };
}

interface Running extends FolderImport {
  readonly control: ControlDatabase;
  readonly clickHouse: ClickHouse;
  readonly work: string;
}

async function importProjects(running: Running): Promise<Pick<Imported, 'projects' | 'failed'>> {
  const { control, onProject } = running;
  const ids = (await control.projects.list()).map(({ id }) => id);
  const projects: ImportedProject[] = [];
  const failed: { id: string; error: AppError }[] = [];
  let done = 0;
  const waiting = ids.values();
  const work = async (): Promise<void> => {
    for (const id of waiting) {
      try {
        const moved = await importProject(running, id);
        if (moved !== null) projects.push({ id, ...moved });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        failed.push({ id, error });
      }
      onProject(++done, ids.length);
    }
  };
  // Projects at work: while ClickHouse stores rows of one, those of another are made.
  await Promise.all(Array.from({ length: 3 }, work));
  return { projects, failed };
}

/** null: it has no events. While the server runs, of a copy of its shard; what only the journal has comes later. */
async function importProject(
  { config, finish, control, clickHouse, work }: Running,
  id: string,
): Promise<MovedShard | null> {
  const from = shardPath(config.data, id);
  const folder = finish ? config.data : work;
  const file = shardPath(folder, id);
  if (finish ? !existsSync(from) : !(await copyShard(from, file))) return null;
  // A user being erased right now may still be in it; the log already has the erasure.
  forgetErased(folder, id, { control, entries: readLog(join(config.data, ERASURE_LOG)).entries });
  const moved = await moveShard(clickHouse, id, file);
  if (!finish) removeWithLog(file);
  return moved;
}

/** A project that was deleted since an earlier run must not come back. */
async function forgetDeleted(control: ControlDatabase, clickHouse: ClickHouse): Promise<void> {
  const deleted = await control.projects.deleted();
  for (const id of await readProjects(clickHouse, deleted)) await eraseProject(clickHouse, id);
}

async function moveControl(
  control: ControlDatabase,
  { data, control: location, secret }: Config,
  projects: readonly ImportedProject[],
): Promise<void> {
  if (location === null) return;
  const engine: OpenEngine = (options) => PostgresEngine.open(location, options);
  await using target = await ControlDatabase.open(data, { secret, engine });
  for (const { id, nextArrival } of projects) await target.ingestTurns.begin(id, nextArrival);
  await control.copyTo(target, copyTables);
}

function lockImport(data: string): DataLock {
  try {
    return DataLock.acquire(join(data, MOVE_FOLDER));
  } catch (error) {
    if (!(error instanceof AppError && error.data.code === 'conflict')) throw error;
    throw new AppError('conflict', `another import of ${data} is running`, { hints: ['wait until it has ended'] });
  }
}
