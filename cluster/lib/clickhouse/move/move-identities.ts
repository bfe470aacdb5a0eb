/** Makes ClickHouse's bindings and profiles of a project those of a shard. */
import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import {
  allDated,
  AppError,
  type FilledBinding,
  type FilledProfile,
  parseStored,
  type ShardSource,
} from '../../../../lib/seam.ts';
import { type ClickHouse, removeRows } from '../client.ts';
import { IDENTITIES } from '../schema.ts';
import { BatchInserts } from './batch-inserts.ts';
import { differing } from './day-sums.ts';

/** Profiles are compared in so many groups, and copied by group. */
const GROUPS = 4_096;
/** Milliseconds. */
const TIME = 600_000;

export interface MovedIdentities {
  readonly profiles: number;
  readonly bindings: number;
}

/** A count and a sum of checksums. */
interface Sum {
  count: number;
  sums: number;
}

export async function moveIdentities(clickHouse: ClickHouse, shard: ShardSource): Promise<MovedIdentities> {
  return { bindings: await moveBindings(clickHouse, shard), profiles: await moveProfiles(clickHouse, shard) };
}

/** The place of a binding in the shard's log, from 1, is its arrival: what counts is their order. */
async function moveBindings(clickHouse: ClickHouse, shard: ShardSource): Promise<number> {
  const { project } = shard;
  let known = await storedBindings(clickHouse, project);
  if (!isDeepStrictEqual(known, sumOfBindings(shard, known.count))) {
    await removeRows(clickHouse, IDENTITIES.name, project, "device_id != ''");
    known = { count: 0, sums: 0 };
  }
  const inserts = new BatchInserts(clickHouse, IDENTITIES, project);
  let place = 0;
  for (const { deviceId, userId, at, undo } of shard.bindings())
    if (++place > known.count)
      await inserts.add(`${JSON.stringify([project, place, at, userId, deviceId, undo ? 1 : 0, place, '', null, null, ''])}\n`); // prettier-ignore
  await inserts.end();
  if (!isDeepStrictEqual(await storedBindings(clickHouse, project), sumOfBindings(shard, Infinity)))
    throw differs(project);
  return place;
}

function sumOfBindings(shard: ShardSource, most: number): Sum {
  const sum: Sum = { count: 0, sums: 0 };
  for (const binding of shard.bindings()) {
    if (sum.count >= most) break;
    sum.count++;
    sum.sums += crc32(textOfBinding(binding, sum.count));
  }
  return sum;
}

const textOfBinding = ({ deviceId, userId, at, undo }: FilledBinding, place: number): string =>
  `${place} ${at} ${undo ? 1 : 0} ${Buffer.byteLength(userId)} ${userId}${deviceId}`;

async function storedBindings(clickHouse: ClickHouse, project: string): Promise<Sum> {
  const text = "concat(toString(arrival), ' ', toString(received), ' ', toString(undo), ' ', toString(length(user_id)), ' ', user_id, device_id)"; // prettier-ignore
  const sql = `SELECT count(), sum(CRC32(${text})) FROM identities FINAL WHERE project = {project:String} AND device_id != ''`; // prettier-ignore
  const { rows } = await clickHouse.query({ sql, params: { project } }, { time: TIME });
  const [count = 0, sums = 0] = rows[0]?.map(Number) ?? [];
  return { count, sums };
}

/** Writes the groups that differ; where users are left that the shard does not have, removes what was there before. */
async function moveProfiles(clickHouse: ClickHouse, shard: ShardSource): Promise<number> {
  const { project } = shard;
  const own = sumsOfProfiles(shard);
  const groups = new Set(differing(await storedProfiles(clickHouse, project), own));
  if (groups.size > 0) {
    const arrival = await nextVersion(clickHouse, shard);
    const inserts = new BatchInserts(clickHouse, IDENTITIES, project);
    for (const profile of shard.profiles()) {
      const { userId, properties, firstSeen, lastSeen } = profile;
      if (groups.has(groupOf(userId)))
        await inserts.add(`${JSON.stringify([project, arrival, 0, userId, '', 0, 0, properties, firstSeen, lastSeen, datesOf(profile)])}\n`); // prettier-ignore
    }
    await inserts.end();
    const left = differing(await storedProfiles(clickHouse, project), own);
    if (left.length > 0) {
      const which = `device_id = '' AND arrival < ${arrival} AND ${GROUP} IN (${left.join(', ')})`;
      await removeRows(clickHouse, IDENTITIES.name, project, which);
      if (differing(await storedProfiles(clickHouse, project), own).length > 0) throw differs(project);
    }
  }
  return [...own.values()].reduce((sum, { count }) => sum + count, 0);
}

const GROUP = `CRC32(user_id) % ${GROUPS}`;
const groupOf = (userId: string): number => crc32(userId) % GROUPS;

/** The arrival of the profiles' rows: later than that of any before. */
async function nextVersion(clickHouse: ClickHouse, { project, nextArrival }: ShardSource): Promise<number> {
  const sql = "SELECT max(arrival) FROM identities WHERE project = {project:String} AND device_id = ''";
  const last = Number((await clickHouse.value({ sql, params: { project } }, { time: TIME })) ?? 0);
  return Math.max(nextArrival - 1, last + 1);
}

function sumsOfProfiles(shard: ShardSource): ReadonlyMap<number, Sum> {
  const sums = new Map<number, Sum>();
  for (const profile of shard.profiles()) {
    const group = groupOf(profile.userId);
    const sum = sums.get(group) ?? { count: 0, sums: 0 };
    sum.count++;
    sum.sums += crc32(textOfProfile(profile));
    sums.set(group, sum);
  }
  return sums;
}

const textOfProfile = ({ userId, properties, firstSeen, lastSeen, ...dates }: FilledProfile): string =>
  `${Buffer.byteLength(userId)} ${userId}${properties} ${firstSeen ?? ''} ${lastSeen ?? ''} ${datesOf({ properties, ...dates })}`;

/** ClickHouse has another date for properties without one. */
const datesOf = ({ properties, ...dates }: Pick<FilledProfile, 'properties' | 'dates' | 'undated'>): string =>
  allDated(Object.keys(parseStored<object>(properties)), dates);

async function storedProfiles(clickHouse: ClickHouse, project: string): Promise<ReadonlyMap<number, Sum>> {
  const text = "concat(toString(length(user_id)), ' ', user_id, profile, ' ', ifNull(toString(first_seen), ''), ' ', ifNull(toString(last_seen), ''), ' ', dates)"; // prettier-ignore
  const sql = `SELECT ${GROUP} AS part, count(), sum(CRC32(${text})) FROM identities FINAL
    WHERE project = {project:String} AND device_id = '' GROUP BY part`;
  const { rows } = await clickHouse.query({ sql, params: { project } }, { time: TIME });
  return new Map(rows.map(([group, count, sums]) => [Number(group), { count: Number(count), sums: Number(sums) }]));
}

function differs(project: string): AppError {
  return new AppError(
    'conflict',
    `project ${project} has other profiles or bindings in ClickHouse than in this folder`,
    {
      hints: ['run the import again: it copies them anew; if it says the same again, somebody else writes there'],
    },
  );
}
