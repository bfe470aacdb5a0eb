/** Makes ClickHouse's events of a project those of a shard, whatever an earlier run or a later erasure has left there. */
import { AppError, ShardSource } from '../../../../lib/seam.ts';
import { type ClickHouse, removeRows } from '../client.ts';
import { EVENTS, HOT_KEYS, USAGE } from '../schema.ts';
import { BatchInserts, endInserts } from './batch-inserts.ts';
import { dateOfDay, dayOf, type DaySums, differing, shardSums, storedSums } from './day-sums.ts';
import { HotValues } from '../hot/hot-values.ts';
import type { MetKind } from '../hot/slots.ts';
import { readSlots, rowsToNote } from '../hot/stored-slots.ts';
import { eventRow } from '../ingest/event-row.ts';
import { readLastArrival } from '../names.ts';
import { usageRow } from '../usage.ts';
import { moveIdentities, type MovedIdentities } from './move-identities.ts';

/** No arrival number is above this. */
const ALL = Number.MAX_SAFE_INTEGER;

export interface MovedEvents {
  /** Of the project, in both places. */
  readonly events: number;
  /** Days that have some, each with the same events in both places. */
  readonly days: number;
  /** Inserted and removed by this run. */
  readonly copied: number;
  readonly removed: number;
}

/**
 * Copies what came since the last run, and anew the days on which the two differ otherwise. Compares both afterwards, by day.
 * Nobody else may write to the project in ClickHouse. Throws AppError `conflict` if it has events that the shard never had.
 */
export async function moveEvents(clickHouse: ClickHouse, shard: ShardSource): Promise<MovedEvents> {
  const { project } = shard;
  const newest = { sql: 'SELECT max(arrival) FROM events WHERE project = {project:String}', params: { project } };
  const last = Number((await clickHouse.value(newest)) ?? 0);
  if (last >= shard.nextArrival)
    throw new AppError('conflict', `project ${project} has events in ClickHouse that this folder never had`, {
      hints: ['it is in use there already: nothing of it was changed'],
    });
  const stored = await storedSums(clickHouse, project, ALL);
  const stale = new Set(differing(stored, shardSums(shard.segments(), last)));
  const surplus = [...stale].filter((day) => stored.has(day));
  if (surplus.length > 0)
    await removeRows(clickHouse, EVENTS.name, project, `toInt64(floor(time / 86400000)) IN (${surplus.join(', ')})`);
  const isWanted = (time: number, arrival: number): boolean => arrival > last || stale.has(dayOf(time));
  const copied = await copy(clickHouse, shard, isWanted);
  const all = shardSums(shard.segments(), ALL);
  const [day] = differing(await storedSums(clickHouse, project, ALL), all);
  if (day !== undefined) throw differs(project, dateOfDay(day));
  return { events: countOf(all), days: all.size, copied, removed: countOf(stored, surplus) };
}

async function copy(
  clickHouse: ClickHouse,
  shard: ShardSource,
  isWanted: (time: number, arrival: number) => boolean,
): Promise<number> {
  const { project } = shard;
  const inserts = new BatchInserts(clickHouse, EVENTS, project);
  const start = `[${JSON.stringify(project)},`;
  let values = new HotValues(await readSlots(clickHouse, project));
  let copied = 0;
  for (const event of shard.events(isWanted)) {
    let row = eventRow(event, values);
    while (values.met.length > 0) {
      await noteMet(clickHouse, project, values.met);
      values = new HotValues(await readSlots(clickHouse, project));
      row = eventRow(event, values);
    }
    await inserts.add(`${start}${event.arrival}${row}`);
    copied++;
  }
  await inserts.end();
  return copied;
}

/** Gives columns to properties that come for the first time, as to those of events that come in (ingest/hot-keys.ts). */
async function noteMet(clickHouse: ClickHouse, project: string, met: readonly MetKind[]): Promise<void> {
  const slots = await readSlots(clickHouse, project);
  const inserts = new BatchInserts(clickHouse, HOT_KEYS, project);
  for (const row of await rowsToNote(clickHouse, project, { slots, met })) await inserts.add(row);
  await inserts.end();
}

function countOf(sums: DaySums, days: Iterable<number> = sums.keys()): number {
  return [...days].reduce((sum, day) => sum + (sums.get(day)?.count ?? 0), 0);
}

function differs(project: string, date: string): AppError {
  return new AppError('conflict', `project ${project} has other events of ${date} in ClickHouse than in this folder`, {
    hints: ['run the import again: it copies such days anew; if it says the same again, somebody else writes there'],
  });
}

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
