/** `wl admin restore DIR --project`: restores one project of a backup into a running host. */
import { renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { placeProject, workIn, stagedShard, shardAside } from '../../../backup/place-project.ts';
import { openSource } from '../../../backup/source.ts';
import { bucketAccess } from '../../../buckets/access.ts';
import { requireData } from '../../../control/process/check.ts';
import { ControlDatabase } from '../../../control/database.ts';
import { projectJson } from '../../../control/json.ts';
import type { ProjectUsageRow as UsageDay } from '../../../control/types.ts';
import { renewWithUsage } from '../../../shards/seal/renew-shard.ts';
import type { DayCounts } from '../../../shards/file/usage-counters.ts';
import type { Terminal } from '../../terminal.ts';
import { recordText } from '../../text.ts';
import type { Config } from '../../../base/config/config.ts';
import { BY_OPERATOR, type CommandResult, onlyOrganization } from '../admin-command.ts';
import { syncPath } from '../../../base/files/sync-path.ts';
import { DAY_MS, utcDay } from '../../../base/day.ts';
import { projectOfBackup } from '../../../backup/extract-project.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SealSettings } from '../../../backup/apply-erasures.ts';
import { AppError } from '../../../base/errors.ts';
import { replaceOffline } from '../../../shards/upkeep/seal-journal.ts';
import { usageTotals } from '../../../shards/writer/usage-totals.ts';
import { tryLock, PATIENCE, POLL } from '../purge-project.ts';

/** A project of `from`: of a backup, or of the newest in a folder or bucket of backups. */
interface TakenFrom {
  readonly from: string;
  readonly project: string;
}

/**
 * Replaces the current data: events and profiles are those of the backup; name, settings, keys, dashboards and bill stay as they
 * are.
 */
export async function restoreInPlace(
  { from, project, force }: TakenFrom & { readonly force: boolean },
  config: Config,
  terminal: Terminal,
): Promise<CommandResult> {
  const { data, secret } = config;
  requireData(data);
  const source = await openSource(from, bucketAccess(config));
  await using control = await ControlDatabase.open(data, { secret });
  const { name } = await control.projects.get(project); // before anything is copied
  return await workIn({ data, control }, async (work) => {
    terminal.status('copying the backup');
    const { shard, beganAt, erasedEvents } = await projectOfBackup({
      source,
      project,
      work,
      settings: config,
      data,
      control,
      secret,
    });
    const days = await control.usage.ofProject(project, { from: weekBefore(beganAt), to: utcDay(Date.now()) });
    renewWithUsage(shard, days.map(usageRow));
    const staged = stagedShard(data, project);
    renameSync(shard, staged);
    syncPath(dirname(staged));
    terminal.status('swapping it with the present data');
    await putInPlace({ data, project, force, control, settings: config });
    const json = { project, name, backup: source.name, began_at: beganAt, erased_events: erasedEvents };
    const aside =
      'The previous data is in the newest folder replaced-… of the data folder: remove it when you no longer need it.';
    return { json, text: `${project} (${name}): as of ${beganAt}, from ${source.name}\n${aside}` };
  });
}

/** Days whose counters a shard reports again when it is read. */
const weekBefore = (time: string): string => utcDay(Date.parse(time) - 7 * DAY_MS);

function usageRow(row: UsageDay): DayCounts {
  const { date, events_ingested: ingested, events_stored: stored, events_rejected: rejected } = row;
  const {
    events_duplicate: duplicate,
    events_dropped: dropped,
    values_trimmed: trimmed,
    ids_ignored: idsIgnored,
    times_replaced: timesReplaced,
    fields_ignored: fieldsIgnored,
  } = row;
  const counts = { ingested, stored, rejected, duplicate, dropped, trimmed, idsIgnored, timesReplaced, fieldsIgnored };
  return { date, counts };
}

/** Restores as a new project with its own keys, in the organization of the original unless `org` says another. */
export async function restoreAsNew(
  { from, project, org, name }: TakenFrom & { readonly org: string | undefined; readonly name: string | undefined },
  config: Config,
  terminal: Terminal,
): Promise<CommandResult> {
  const { data, secret } = config;
  requireData(data);
  const source = await openSource(from, bucketAccess(config));
  await using control = await ControlDatabase.open(data, { secret });
  const orgId =
    org === undefined
      ? ((await control.projects.find(project))?.orgId ?? (await onlyOrganization(control)))
      : (await control.organizations.get(org)).id;
  return await workIn({ data, control }, async (work) => {
    terminal.status('copying the backup');
    const { parcel, shard, beganAt, erasedEvents } = await projectOfBackup({
      source,
      project,
      work,
      settings: config,
      data,
      control,
      secret,
    });
    const called = name ?? `${parcel.name} as of ${beganAt.slice(0, 16).replace('T', ' ')}`;
    const parts = { data, shard, parcel, orgId, name: called, keepKeys: false };
    const { project: made, secretKey } = await placeProject(control, parts, BY_OPERATOR);
    const { id, publicKey } = made;
    return {
      json: {
        ...projectJson(made),
        secret_key: secretKey,
        ...{ backup: source.name, began_at: beganAt, erased_events: erasedEvents },
      },
      text: recordText({ id, name: called, public_key: publicKey, secret_key: secretKey, began_at: beganAt }),
    };
  });
}

interface Replacing {
  readonly data: string;
  readonly project: string;
  readonly force: boolean;
  readonly control: ControlDatabase;
  readonly settings: SealSettings;
}

/** Rejects with AppError `conflict` if the shard there is newer; the staged one is removed. */
async function putInPlace(replacing: Replacing): Promise<void> {
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
