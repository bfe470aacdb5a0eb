/** Replaces a project's shard by a staged one: in the server that runs on the folder, or in this process. */
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SealSettings } from '../../../backup/apply-erasures.ts';
import { shardAside, stagedShard } from '../../../backup/staged-shard.ts';
import type { ControlDatabase } from '../../../control/database.ts';
import { AppError } from '../../../base/errors.ts';
import { replaceOffline } from '../../../shards/upkeep/seal-journal.ts';
import { usageTotals } from '../../../shards/writer/usage-totals.ts';
import { BY_OPERATOR } from '../admin-command.ts';
import { tryLock } from '../purge-project.ts';

/** How long a running server may take, and how often to check. Milliseconds. */
const PATIENCE = 60_000;
const POLL = 50;

interface Replacing {
  readonly data: string;
  readonly project: string;
  readonly force: boolean;
  readonly control: ControlDatabase;
  readonly settings: SealSettings;
}

/** Rejects with AppError `conflict` if the shard there is newer; the staged one is removed. */
export async function putInPlace(replacing: Replacing): Promise<void> {
  const { data, project, force, control } = replacing;
  const { replacements } = control.operator;
  await replacements.ask({ projectId: project, force }, BY_OPERATOR);
  for (const until = performance.now() + PATIENCE; ; await sleep(POLL)) {
    const told = await replacements.take(project);
    if (told === null) return;
    if (told !== undefined) throw AppError.from(told);
    using lock = tryLock(data);
    if (lock !== null) return await withoutServer(replacing);
    if (performance.now() < until || !(await replacements.giveUp(project))) continue;
    rmSync(stagedShard(data, project), { force: true });
    throw new AppError(
      'storage_unavailable',
      'the server has not picked up the project yet, so the request was withdrawn',
      {
        hints: ['its log says why; nothing was changed'],
      },
    );
  }
}

async function withoutServer({ data, project, force, control, settings }: Replacing): Promise<void> {
  const staged = stagedShard(data, project);
  try {
    const onUsage: Parameters<typeof replaceOffline>[0]['onUsage'] = (day) => control.usage.record(usageTotals(day));
    const { segmentRows, geoipFile } = settings;
    replaceOffline(
      { folder: data, segmentRows, geoipFile, onUsage },
      { project, staged, aside: shardAside(data, project), force },
    );
  } finally {
    rmSync(staged, { force: true });
    await control.operator.replacements.giveUp(project);
  }
}
