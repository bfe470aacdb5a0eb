/** A data folder with sealed events, as it is on disk while nobody serves it. */
import Database from 'better-sqlite3';
import fs from 'node:fs';
import { join } from 'node:path';
import { ControlDatabase } from '../../lib/control/database.ts';
import { shardPath } from '../../lib/shards/file/shard-file.ts';
import { NOW, WriterProbe } from './shard-rows.ts';
import { temporaryFolder } from './temporary-folder.ts';

const BY = { name: 'test', ip: null };
const HOUR = 3_600_000;

/** Stores events of a project in its shard. */
export function store(folder: string, project: string, events: number, user?: string): void {
  const probe = new WriterProbe(folder);
  const all = Array.from({ length: events }, (_, n) => ({ event_type: 'e', user_id: user, event_properties: { n } }));
  probe.track(all, NOW, project);
  probe.snapshot(project);
  probe.ask({ op: 'close' });
}

/** A data folder with projects that have one shard each. */
export async function dataFolder(names: readonly string[]): Promise<{ folder: string; projects: readonly string[] }> {
  const folder = temporaryFolder();
  const control = await ControlDatabase.open(folder, { secret: null });
  const { organization } = await control.organizations.create('A');
  const projects = await Promise.all(
    names.map(async (name) => (await control.projects.create(organization.id, name, BY)).project.id),
  );
  await control.close();
  for (const id of projects) store(folder, id, 10);
  age(folder);
  return { folder, projects };
}

/** Makes the folder look as if nothing was written for an hour. */
export function age(folder: string): void {
  const before = new Date(Date.now() - HOUR);
  for (const name of fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    fs.utimesSync(join(folder, name), before, before);
}

/** Events in the shard of a project. */
export function rowsOf(folder: string, project: string): number {
  const shard = new Database(shardPath(folder, project), { readonly: true });
  try {
    return Number(shard.prepare('SELECT sum(rows) FROM segments WHERE live = 1').pluck().get());
  } finally {
    shard.close();
  }
}
