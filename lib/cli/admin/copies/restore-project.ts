/** `wl admin restore DIR --project`: restores one project of a backup into a running host. */
import { renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { placeProject, workIn } from '../../../backup/place-project.ts';
import { projectOfBackup, type ProjectOfBackup } from '../../../backup/project-of-backup.ts';
import { fetchPart, openSource, type Source } from '../../../backup/source.ts';
import { stagedShard } from '../../../backup/staged-shard.ts';
import { bucketAccess } from '../../../buckets/access.ts';
import { namesBucket } from '../../../buckets/location.ts';
import { requireData } from '../../../control/process/check.ts';
import { ControlDatabase } from '../../../control/database.ts';
import { projectJson } from '../../../control/json.ts';
import type { UsageRow as UsageDay } from '../../../control/types.ts';
import { renewWithUsage } from '../../../shards/seal/renew-shard.ts';
import type { UsageRow } from '../../../shards/file/usage-counters.ts';
import type { Terminal } from '../../terminal.ts';
import { recordText } from '../../text.ts';
import { BY_OPERATOR, type DataFolder, type Outcome } from '../admin-command.ts';
import { onlyOrganization } from '../only-organization.ts';
import { putInPlace } from './put-in-place.ts';
import { syncPath } from '../../../base/files/sync-path.ts';
import { DAY_MS, utcDay } from '../../../base/day.ts';

interface TakenFrom {
  /** A backup, or a folder or bucket of backups, meaning the newest. */
  readonly from: string;
  readonly project: string;
}

export interface ProjectRestore extends TakenFrom {
  readonly org: string | undefined;
  readonly name: string | undefined;
}

/**
 * Replaces the current data: events and profiles are those of the backup; name, settings, keys, dashboards and bill stay as they
 * are.
 */
export async function restoreInPlace(
  { force, ...restore }: TakenFrom & { readonly force: boolean },
  folder: DataFolder,
  terminal: Terminal,
): Promise<Outcome> {
  const { project } = restore;
  const { path: data, config } = folder;
  return takeProject(restore, folder, terminal, {
    check: (control) => control.projects.get(project),
    use: async ({ shard, beganAt, erasedEvents }, { control, backup, checked: { name } }) => {
      const days = await control.usage.ofProject(project, { from: weekBefore(beganAt), to: utcDay(Date.now()) });
      renewWithUsage(shard, days.map(usageRow));
      const staged = stagedShard(data, project);
      renameSync(shard, staged);
      syncPath(dirname(staged));
      terminal.status('swapping it with the present data');
      await putInPlace({ data, project, force, control, settings: config });
      const json = { project, name, backup, began_at: beganAt, erased_events: erasedEvents };
      const aside =
        'The previous data is in the newest folder replaced-… of the data folder: remove it when you no longer need it.';
      return { json, text: `${project} (${name}): as of ${beganAt}, from ${backup}\n${aside}` };
    },
  });
}

/** Days whose counters a shard reports again when it is read. */
const weekBefore = (time: string): string => utcDay(Date.parse(time) - 7 * DAY_MS);

function usageRow(row: UsageDay): UsageRow {
  const { date, events_ingested: ingested, events_stored: stored, events_rejected: rejected } = row;
  const {
    events_duplicate: duplicate,
    events_dropped: dropped,
    values_trimmed: trimmed,
    ids_ignored: idsIgnored,
  } = row;
  return { date, counts: { ingested, stored, rejected, duplicate, dropped, trimmed, idsIgnored } };
}

/** Restores as a new project with its own keys, in the organization of the original. */
export async function restoreAsNew(
  { org, name, ...restore }: ProjectRestore,
  folder: DataFolder,
  terminal: Terminal,
): Promise<Outcome> {
  return takeProject(restore, folder, terminal, {
    check: async (control) =>
      org === undefined
        ? ((await control.projects.find(restore.project))?.orgId ?? (await onlyOrganization(control)))
        : (await control.organizations.get(org)).id,
    use: async ({ parcel, shard, beganAt, erasedEvents }, { control, backup, checked: orgId }) => {
      const called = name ?? `${parcel.name} as of ${beganAt.slice(0, 16).replace('T', ' ')}`;
      const parts = { data: folder.path, shard, parcel, orgId, name: called, keepKeys: false };
      const made = await placeProject(control, parts, BY_OPERATOR);
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
    },
  });
}

/** What to do with a project of a backup. `check`: runs before anything is copied. */
interface Use<C> {
  readonly check: (control: ControlDatabase) => C | Promise<C>;
  readonly use: (found: ProjectOfBackup, parts: Parts<C>) => Outcome | Promise<Outcome>;
}

interface Parts<C> {
  readonly control: ControlDatabase;
  readonly backup: string;
  readonly checked: C;
}

/** Extracts a project of a backup into a temporary folder. */
async function takeProject<C>(
  { from, project }: TakenFrom,
  { path: data, secret, config }: DataFolder,
  terminal: Terminal,
  { check, use }: Use<C>,
): Promise<Outcome> {
  requireData(data);
  const source = await openSource(from, bucketAccess(config));
  await using control = await ControlDatabase.open(data, { secret });
  const checked = await check(control);
  return await workIn({ data, control }, async (work) => {
    terminal.status('copying the backup');
    const folder = namesBucket(from) ? await fetchProject(source, project, work) : source.name;
    const wanted = { from: folder, project, work, settings: config, data, control, secret };
    return use(await projectOfBackup(wanted), { control, backup: source.name, checked });
  });
}

async function fetchProject(source: Source, project: string, work: string): Promise<string> {
  const folder = join(work, 'backup');
  await fetchPart(source, folder, (name) => !name.startsWith('shards/') || name === `shards/${project}.db`);
  return folder;
}
