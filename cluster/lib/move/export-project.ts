/** Writes a project of a cluster to a file that `wl admin project import` opens. */
import { mkdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type Actor,
  type ClickHouseLocation,
  type ControlDatabase,
  ERASURE_LOG,
  forgetErased,
  readLog,
  shardPath,
  syncPath,
  workAt,
  writeProjectFile,
} from '../../../lib/seam.ts';
import { ClickHouse } from '../clickhouse/client.ts';
import { checkSchema } from '../clickhouse/migrate.ts';
import { fetchShard } from '../clickhouse/move/fetch-shard.ts';

export interface ProjectExport {
  readonly project: string;
  /** Must not exist. */
  readonly target: string;
  readonly keepKeys: boolean;
  readonly store: ClickHouseLocation;
  /** A data folder, whose log of erasures is heeded besides that of the control database. */
  readonly data: string;
}

/** The nodes may be running. Rejects with AppError `not_found`, or `conflict` if something was removed meanwhile. */
export async function exportProject(
  control: ControlDatabase,
  { project, target, keepKeys, store, data }: ProjectExport,
  by: Actor,
): Promise<{ readonly name: string; readonly events: number; readonly bytes: number }> {
  const parcel = await control.operator.parcels.pack(project, keepKeys);
  await checkSchema(store);
  await using clickHouse = new ClickHouse(store);
  return await workAt(target, async (work) => {
    const shard = shardPath(work, project);
    mkdirSync(dirname(shard), { recursive: true, mode: 0o700 });
    const events = await fetchShard(clickHouse, project, shard);
    const shared = await control.erasedUsers.ofProject(project);
    const own = { kind: 'user', project: control.hashId('', project) } as const;
    const entries = [...shared.map((entry) => ({ ...entry, ...own })), ...readLog(join(data, ERASURE_LOG)).entries];
    const erased = forgetErased(work, project, { control, entries });
    const bytes = writeProjectFile(join(work, 'file'), shard, parcel);
    await control.operator.parcels.exported(project, by); // throws if it was deleted meanwhile
    renameSync(join(work, 'file'), target);
    syncPath(dirname(target));
    return { name: parcel.name, events: events - erased, bytes };
  });
}
