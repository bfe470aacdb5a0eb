import { ShardSource } from '../../../../lib/seam.ts';
import type { ClickHouse } from '../client.ts';
import { readLastArrival } from '../names.ts';
import { USAGE } from '../schema.ts';
import { usageRow } from '../usage.ts';
import { BatchInserts, endInserts } from './batch-inserts.ts';
import { moveEvents, type MovedEvents } from './move-events.ts';
import { moveIdentities, type MovedIdentities } from './move-identities.ts';

export interface MovedShard extends MovedEvents, MovedIdentities {
  /** No arrival number from this on has been used, here or there. */
  readonly nextArrival: number;
}

/** Whose counts of usage these are, beside those of nodes. */
const COUNTER = 'shard';

/**
 * Makes what ClickHouse has of a project what its shard file has: events, bindings, profiles, counters of usage. Can be repeated,
 * also after a run that was killed. Nobody else may write to the project there, and nobody to the file. Throws AppError.
 */
export async function moveShard(clickHouse: ClickHouse, project: string, file: string): Promise<MovedShard> {
  await endInserts(clickHouse, project);
  using shard = new ShardSource(project, file);
  const identities = await moveIdentities(clickHouse, shard);
  const events = await moveEvents(clickHouse, shard);
  const inserts = new BatchInserts(clickHouse, USAGE, project);
  const version = Date.now(); // later rows replace earlier ones
  for (const { date, counts } of shard.usage())
    await inserts.add(usageRow({ project, date, counter: COUNTER, version, counts }));
  await inserts.end();
  const last = await readLastArrival(clickHouse, project);
  return { ...events, ...identities, nextArrival: Math.max(shard.nextArrival, last + 1) };
}
