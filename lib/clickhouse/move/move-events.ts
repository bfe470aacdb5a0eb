/** Makes ClickHouse's events of a project those of a shard, whatever an earlier run or a later erasure has left there. */
import { AppError } from '../../base/errors.ts';
import type { ClickHouse } from '../client.ts';
import { removeRows } from '../remove-rows.ts';
import { EVENTS, HOT_KEYS } from '../schema.ts';
import { BatchInserts } from './batch-inserts.ts';
import { dateOfDay, dayOf, type DaySums, differing, shardSums, storedSums } from './day-sums.ts';
import type { ShardSource } from './shard-source.ts';
import { HotValues } from '../hot/hot-values.ts';
import type { MetKind } from '../hot/slots.ts';
import { readSlots, rowsToNote } from '../hot/stored-slots.ts';
import { eventRow } from '../ingest/event-row.ts';
import { ENRICHED_FIELDS } from '../../dsl/plan/fields.ts';
import type { StoredEvent, StoredValue } from '../../shards/event.ts';
import { OVERFLOW, INSERT_MADE, type Column } from '../../shards/shard-reader.ts';
import type { StoredSegment } from '../../shards/segment/stored-segment.ts';
import { storedValue } from '../stored-properties.ts';

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
  for (const segment of shard.segments()) {
    for (const event of segmentEvents(segment, isWanted)) {
      let row = eventRow(event, values);
      while (values.met.length > 0) {
        await noteMet(clickHouse, project, values.met);
        values = new HotValues(await readSlots(clickHouse, project));
        row = eventRow(event, values);
      }
      await inserts.add(`${start}${event.arrival}${row}`);
      copied++;
    }
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

/** Values of a column by row; rows must ascend from call to call. */
type Reading = (row: number) => StoredValue | null;

/** Texts of codes that are kept, so that they are decoded once. */
const KEPT = 65_536;

/** The events of the rows that are wanted, in order of time. */
function* segmentEvents(
  segment: StoredSegment,
  isWanted: (time: number, arrival: number) => boolean,
): Generator<StoredEvent> {
  const [times, arrivals, received, ids] = [segment.times(), segment.arrivals(), segment.received(), segment.insertIds()]; // prettier-ignore
  const text = textReader(segment);
  const [type, user, device, session] = ['event_type', 'user_id', 'device_id', 'session_id'].map(text);
  const enriched = ENRICHED_FIELDS.map((field) => [field, text(field)] as const);
  const [properties, userProperties] = [propertyReader(segment, 'p:'), propertyReader(segment, 'u:')];
  for (let row = 0; row < segment.rows; row++) {
    const [time, arrival] = [times[row]!, arrivals[row]!];
    if (!isWanted(time, arrival)) continue;
    const since = received?.[row] ?? -Infinity;
    yield {
      ...{ time, arrival, received: since === -Infinity ? 0 : since }, // 0: longer ago than ids are remembered
      ...{ type: type!(row) ?? '', userId: user!(row), deviceId: device!(row), sessionId: session!(row) },
      insertId: ids.kinds[row] === INSERT_MADE ? null : ids.text(row),
      ...{ properties: properties(row), userProperties: userProperties(row) },
      enriched: enriched.flatMap(([field, read]) => {
        const value = read(row);
        return value === null ? [] : [[field, value] as const];
      }),
    };
  }
}

function textReader(segment: StoredSegment): (key: string) => (row: number) => string | null {
  return (key) => {
    const read = reading(segment.column(key));
    return (row) => {
      const value = read(row);
      return value === null || typeof value === 'number' ? null : value.text;
    };
  };
}

function propertyReader(segment: StoredSegment, space: 'p:' | 'u:'): (row: number) => StoredEvent['properties'] {
  const keys = segment.columnKeys().filter((key) => key.startsWith(space));
  const columns = keys.map((key) => [key.slice(space.length), reading(segment.column(key))] as const);
  return (row) =>
    columns.flatMap(([key, read]): StoredEvent['properties'] => {
      const value = read(row);
      if (value === null) return [];
      return key === OVERFLOW ? overflowing(value) : [[key, value]];
    });
}

/** The keys of a project with too many columns. */
function overflowing(value: StoredValue): StoredEvent['properties'] {
  if (typeof value === 'number' || value.type !== 'object')
    throw new Error('a column of further keys has other values');
  const members = JSON.parse(value.text) as Readonly<Record<string, unknown>>; // oxlint-disable-line typescript/no-unsafe-type-assertion -- the writer made it
  return Object.entries(members).map(([key, member]) => [key, storedValue(member)]);
}

function reading(column: Column | null): Reading {
  if (column === null) return () => null;
  const { codes, dictionary, numbers } = column;
  const known = new Map<number, StoredValue>();
  let place = 0;
  return (row) => {
    const code = codes?.[row] ?? 0;
    if (code !== 0 && dictionary !== null) {
      let value = known.get(code);
      if (value === undefined) {
        if (known.size >= KEPT) known.clear();
        known.set(code, (value = { type: dictionary.type(code), text: dictionary.text(code) }));
      }
      return value;
    }
    if (numbers === null) return null;
    const { rows, values } = numbers;
    if (rows === null) return values[row]!;
    while (place < rows.length && rows[place]! < row) place++;
    return rows[place] === row ? values[place]! : null;
  };
}
