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
  AppError,
  DAY_MS,
  ENRICHED_FIELDS,
  ShardFiller,
  type StoredEvent,
  ShardSource,
  columnValue,
} from '../../../lib/seam.ts';
import { ClickHouse, type Statement } from '../clickhouse/client.ts';
import { checkSchema } from '../clickhouse/migrate.ts';
import { readLastArrival } from '../clickhouse/names.ts';
import { DATED_SINCE_SQL, NULLABLE_FIELDS } from '../clickhouse/schema.ts';
import { storedProperties } from '../clickhouse/sql/properties.ts';
import { differing, shardSums, storedSums, type DaySums } from '../clickhouse/move/day-sums.ts';
import { filledOrNull, nullable } from '../clickhouse/sql/statement.ts';

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

/**
 * Writes what ClickHouse has of a project, up to now, to a new file, and compares both by day. Returns the number of events.
 * Throws AppError `conflict` if something was removed meanwhile.
 */
export async function fetchShard(clickHouse: ClickHouse, project: string, file: string): Promise<number> {
  const last = await readLastArrival(clickHouse, project);
  const filler = new ShardFiller(project, file, last + 1);
  const sums = await storedSums(clickHouse, project, last);
  try {
    for (const [from, until] of rangesOf(sums)) {
      const events = eventsBetween(project, { from, until, last });
      for await (const row of clickHouse.stream(events)) filler.addEvent(eventOf(row));
    }
    const params = { project, last };
    const bindings = `SELECT device_id, user_id, received, undo FROM identities FINAL
      WHERE project = {project:String} AND device_id != '' AND arrival <= {last:UInt64} ORDER BY arrival`;
    for await (const [device, user, at, undo] of clickHouse.stream({ sql: bindings, params }))
      filler.addBinding({ deviceId: String(device), userId: String(user), at: Number(at), undo: undo === 1 });
    const profiles = `SELECT user_id, profile, first_seen, last_seen, dates, ${DATED_SINCE_SQL} FROM identities FINAL
      WHERE project = {project:String} AND device_id = '' ORDER BY user_id`;
    for await (const [user, properties, first, end, dates, since] of clickHouse.stream({ sql: profiles, params }))
      filler.addProfile({ userId: String(user), properties: String(properties), firstSeen: nullable(first, Number), lastSeen: nullable(end, Number), dates: String(dates), undated: Number(since) }); // prettier-ignore
  } finally {
    filler.end();
  }
  using shard = new ShardSource(project, file);
  const own = shardSums(shard.segments(), last);
  if (differing(own, await storedSums(clickHouse, project, last)).length > 0)
    throw new AppError('conflict', `events of project ${project} were removed while it was exported`, {
      hints: ['export it again'],
    });
  return [...own.values()].reduce((sum, { count }) => sum + count, 0);
}

/** Days in order, several together if they have few events: from, and until before, milliseconds. */
function rangesOf(sums: DaySums): readonly (readonly [from: number, until: number])[] {
  const ranges: [number, number][] = [];
  let count = Infinity;
  for (const [day, sum] of [...sums].sort(([a], [b]) => a - b)) {
    const open = ranges.at(-1);
    count += sum.count;
    // Events that are put in order by one statement, unless a day has more.
    if (open !== undefined && count <= 100_000) open[1] = (day + 1) * DAY_MS;
    else {
      ranges.push([day * DAY_MS, (day + 1) * DAY_MS]);
      count = sum.count;
    }
  }
  return ranges;
}

const TEXTS = ['event_type', 'user_id', 'device_id', 'session_id', 'insert_id'] as const;
const MAPS = ['event_text', 'event_types', 'user_text', 'user_types'] as const;
/** Those that are properties themselves are not stored twice. */
const FIELDS = ENRICHED_FIELDS.filter((field) => !NULLABLE_FIELDS.has(field));

function eventsBetween(
  project: string,
  { from, until, last }: { readonly from: number; readonly until: number; readonly last: number },
): Statement {
  const columns = ['arrival', 'received', 'time', ...TEXTS, ...MAPS, ...FIELDS].join(', ');
  return {
    sql: `SELECT ${columns} FROM events WHERE project = {project:String} AND time >= {from:Int64} AND time < {until:Int64}
      AND arrival <= {last:UInt64} ORDER BY time, arrival`,
    params: { project, from, until, last },
  };
}

/** @param row As `eventsBetween` selects it. */
function eventOf(row: readonly unknown[]): StoredEvent {
  const [arrival, received, time, ...rest] = row;
  const [type, userId, deviceId, sessionId, insertId] = rest.map(filledOrNull);
  const [eventTexts, eventTypes, userTexts, userTypes] = rest.slice(TEXTS.length);
  const fields = rest.slice(TEXTS.length + MAPS.length);
  return {
    ...{ arrival: Number(arrival), received: Number(received), time: Number(time) },
    ...{ type: type ?? '', userId: userId ?? null, deviceId: deviceId ?? null, sessionId: sessionId ?? null },
    insertId: insertId ?? null,
    properties: propertiesOf(eventTexts, eventTypes),
    userProperties: propertiesOf(userTexts, userTypes),
    enriched: FIELDS.flatMap((field, i) => {
      const text = filledOrNull(fields[i]);
      return text === null ? [] : [[field, text] as const];
    }),
  };
}

const propertiesOf = (texts: unknown, types: unknown): StoredEvent['properties'] =>
  Object.entries(storedProperties(texts, types)).map(([key, value]) => [key, columnValue(value)] as const);
