/** Cleans up after crashes in a data folder that is not served. Removes nothing that somebody may want. */
import fs from 'node:fs';
import path from 'node:path';
import { DataLock } from '../control/process/data-lock.ts';
import { ControlDatabase } from '../control/database.ts';
import { ErasureLog } from '../erasures/erasure-log.ts';
import { silentLog } from '../base/log.ts';
import { namesIn } from '../base/files/names-in.ts';
import { exposed, takeRightsAway } from '../base/files/private-files.ts';
import { moveAside } from '../shards/file/rewrite-shard.ts';
import { shardNames } from '../shards/upkeep/backup.ts';
import { checkShard } from '../shards/upkeep/check.ts';
import { repairJournal } from '../shards/journal/rewrite.ts';
import { rebuildIndexes } from '../shards/upkeep/repair-shard.ts';
import { finishErasure } from '../shards/erase/erase-shard.ts';
import { removeProject } from '../shards/erase/erase-listed.ts';
import { halfRestore } from './switch-over.ts';
import { removeStaged, shardAside } from './place-project.ts';
import { removeHalfCopies, removeHalfMade } from './half-made.ts';

/** One repair that was made. */
export interface Repair {
  readonly what: string;
  /** A file, a folder or a project. */
  readonly where: string;
}

interface Repairing {
  /** The data folder. */
  readonly data: string;
  /** null: the one in the folder. */
  readonly secret: string | null;
  readonly onShard?: (done: number, of: number) => void;
}

/** Throws AppError `conflict` while a server runs on the folder. */
export async function repair({ data, secret, onShard }: Repairing): Promise<readonly Repair[]> {
  using _ = DataLock.acquire(data);
  const done: Repair[] = [];
  await using control = await ControlDatabase.open(data, { secret });
  done.push(...(await leftovers(data, control)), ...(await deletions(data, control)), ...journals(data));
  const names = shardNames(path.join(data, 'shards'));
  for (const [i, name] of names.entries()) {
    onShard?.(i, names.length);
    done.push(...(await shard(data, name, control)));
  }
  return [...done, ...rights(data)];
}

/** Removes what interrupted imports and restores left. */
async function leftovers(data: string, control: ControlDatabase): Promise<Repair[]> {
  const files = (): string[] => [
    ...fs.readdirSync(data),
    ...namesIn(path.join(data, 'shards')).map((name) => `shards/${name}`),
  ];
  const before = files();
  await removeHalfMade(data, control);
  removeStaged(
    data,
    (await control.operator.replacements.waiting()).map(({ projectId }) => projectId),
  );
  removeHalfCopies(data);
  for (const folder of halfRestore(data)) fs.rmSync(folder, { recursive: true, force: true });
  const after = new Set(files());
  return before.filter((name) => !after.has(name)).map((where) => ({ what: 'removed what was half made', where }));
}

/** The next service copies the log to the backups. */
async function deletions(data: string, control: ControlDatabase): Promise<Repair[]> {
  const erasures = new ErasureLog({
    ...{ data, hash: control.hashId.bind(control), targets: control.operator.backupTargets, log: silentLog() },
    buckets: null, // no target is contacted here
  });
  const unpurged = await control.projects.unpurged();
  for (const id of unpurged) {
    erasures.projectDeleted(id);
    removeProject(data, id);
    await control.projects.markPurged(id);
  }
  return unpurged.map((where) => ({ what: 'removed the events of a deleted project', where }));
}

/** Like the next start: keeps what can be read and sets the damaged file aside. */
function journals(data: string): Repair[] {
  const folder = path.join(data, 'journal');
  if (!fs.existsSync(folder)) return [];
  return repairJournal(folder).map(({ damage, error }) => {
    if (error !== null) throw error;
    return { what: 'set a damaged journal file aside, and kept what can be read of it', where: damage.file };
  });
}

async function shard(data: string, name: string, control: ControlDatabase): Promise<Repair[]> {
  const file = path.join(data, 'shards', name);
  const id = path.basename(name, '.db');
  if ((await control.projects.find(id)) === null) return orphan(data, id, control);
  if (checkShard(file).length > 0) {
    const repaired = rebuildIndexes(file, shardAside(data, id));
    return repaired
      ? [{ what: 'built the indexes of a damaged project anew; the damaged file is in replaced-…', where: id }]
      : [];
  }
  return finishErasure(file) ? [{ what: 'finished an erasure that was cut off', where: id }] : [];
}

/** Removes a deleted project's file; moves aside one that was never a project's, as it may be the only copy. */
async function orphan(data: string, id: string, control: ControlDatabase): Promise<Repair[]> {
  if ((await control.projects.deleted()).includes(id)) {
    removeProject(data, id);
    return [{ what: 'removed the events of a deleted project', where: id }];
  }
  moveAside(path.join(data, 'shards', `${id}.db`), shardAside(data, id));
  return [{ what: 'moved a shard of no project to replaced-…', where: id }];
}

function rights(data: string): Repair[] {
  return exposed(data).flatMap(({ path: where }) => {
    takeRightsAway(where);
    return (fs.statSync(where).mode & 0o077) === 0 ? [{ what: "took others' rights away", where }] : [];
  });
}
