/** The shards of a backup: copied and read back, or reused from an earlier one if unchanged, or damaged now. */
import fs from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../base/errors.ts';
import { copyShard, shardNames } from '../shards/upkeep/backup.ts';
import { checkShard } from '../shards/upkeep/check.ts';
import type { Destination } from './destination.ts';
import type { BackedUpFile, DamagedShard, Manifest } from './manifest.ts';
import { lookAt } from './sighting.ts';
import { finishedSum, whyUnreadable } from './whole-file.ts';

export interface ShardTask {
  /** The data folder. */
  readonly data: string;
  readonly destination: Destination;
  /** Called before each shard. */
  readonly onShard?: (done: number, of: number) => void;
}

export type TakenShard = BackedUpFile & { readonly copied: boolean };

export interface TakenShards {
  readonly shards: readonly TakenShard[];
  /** The backup has each as in an earlier one, or not at all. */
  readonly damaged: readonly DamagedShard[];
}

/** A damaged shard does not stop the others. Rejects when the target cannot be written. */
export async function takeShards({ data, destination, onShard }: ShardTask): Promise<TakenShards> {
  const { draft, previous: earlier } = destination;
  const before = new Map(earlier?.files.map((file) => [file.path, file]));
  const names = shardNames(path.join(data, 'shards'));
  const shards: TakenShard[] = [];
  const damaged: DamagedShard[] = [];
  const keepEarlier = async (name: string, known: BackedUpFile | null, problem: string): Promise<void> => {
    const kept = known !== null && (await destination.takeOver(known));
    if (kept) shards.push({ ...known, seen: null, copied: false });
    damaged.push({ project: path.basename(name, '.db'), problem, as_of: kept ? ageOf(earlier, name) : null });
  };
  for (const [i, name] of names.entries()) {
    onShard?.(i, names.length);
    const place = `shards/${name}`;
    const looked = lookAt(path.join(data, place));
    if (looked === null) continue; // its project was deleted meanwhile
    const known = before.get(place) ?? null;
    if (known !== null && isDeepStrictEqual(known.seen, looked.sighting) && destination.has(known)) {
      shards.push({ ...known, copied: false });
      continue;
    }
    const problem = await copyChecked(path.join(data, place), path.join(draft, place));
    if (problem === null) {
      const seen = looked.fresh ? null : looked.sighting;
      if (!fs.existsSync(path.join(draft, place))) continue;
      const copied = finishedSum(path.join(draft, place));
      const shard = { path: place, ...copied, seen };
      await destination.store(shard);
      shards.push({ ...shard, copied: true });
      continue;
    }
    fs.rmSync(path.join(draft, place), { force: true });
    await keepEarlier(name, known, problem);
  }
  // One that an earlier backup has and that is gone: of a deleted project, which the caller knows, or lost.
  for (const [place, known] of before) {
    const name = path.basename(place);
    if (place === `shards/${name}` && !names.includes(name)) await keepEarlier(name, known, 'its file is missing');
  }
  return { shards, damaged };
}

/** Age of the copy of a shard in an earlier backup, which may itself have it from one before. */
function ageOf(earlier: Manifest | null, name: string): string | null {
  const known = earlier?.damaged?.find(({ project }) => `${project}.db` === name);
  return known?.as_of ?? earlier?.began_at ?? null;
}

/** What is wrong with a shard; null: nothing, and it was copied, or its project was deleted meanwhile. */
async function copyChecked(original: string, copy: string): Promise<string | null> {
  try {
    if (!(await copyShard(original, copy))) return null;
  } catch (error) {
    if (error instanceof AppError && error.data.code === 'shard_damaged') return error.data.message;
    const unreadable = whyUnreadable(original);
    if (unreadable === null) throw error; // the copy is at fault
    return unreadable;
  }
  const [problem] = checkShard(copy);
  if (problem === undefined) return null;
  const [own] = checkShard(original);
  if (own !== undefined) return own;
  throw new AppError('storage_unavailable', `${copy} is not what was written to it (${problem})`, {
    hints: ['look at the disk of the backup; the original is good, and earlier backups are as they were'],
  });
}
