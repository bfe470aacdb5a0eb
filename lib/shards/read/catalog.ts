/** The names in a project, for notes and "did you mean". */
import { OVERFLOW, type ShardCatalog } from '../shard-reader.ts';
import type { Connection } from '../file/shard-file.ts';
import { textsOfCodes } from '../dictionary/chunks.ts';
import { COLUMN } from '../segment/columns.ts';
import { decodeTypeCounts } from '../segment/type-rows.ts';
import { threshold } from '../../base/threshold.ts';

/** Names of each kind that are returned. */
export const MOST_NAMES = 5_000;
const LONG = threshold('event types that others wait for', 5_000);
/** Bytes of these, some milliseconds of work: a profile may have hundreds of KiB. The one that exceeds it is searched too. */
const PROFILE_BYTES = 1 << 20;

/** The part of a catalog that is not in the file; plain data, since another thread may read the rest. */
export interface CatalogRest {
  /** Event types that are not stored yet, and the number of stored ones. */
  readonly types: readonly string[];
  readonly storedTypes: number;
  /** Keys of columns. */
  readonly columns: readonly string[];
  /** Property names of profiles that are not stored yet. */
  readonly profileKeys: readonly string[];
}

/** Whether reading a project's names takes so long that others should not wait: each may be in a different chunk. */
export const isLongCatalog = ({ storedTypes }: CatalogRest): boolean => storedTypes > LONG.value;

/** Events with their rows, most frequent first (0 if unsealed), and `event_properties.x`, `user_properties.x`, `user.x`. */
export function readCatalog(connection: Connection, rest: CatalogRest): ShardCatalog {
  const rows = new Float64Array(rest.storedTypes + 1); // by code
  for (const types of connection.prepare<[], string>('SELECT types FROM segments WHERE live = 1').pluck().iterate()) {
    const counts = decodeTypeCounts(types);
    counts.codes.forEach((code, i) => (rows[code]! += counts.rows[i]!));
  }
  const all = rest.storedTypes + rest.types.length <= MOST_NAMES;
  const codes = all ? range(rest.storedTypes) : mostFrequent(rows);
  const events: ShardCatalog['events'] = [];
  for (const { code, text: name } of textsOfCodes(connection, COLUMN.eventType, codes))
    if (name !== '') events.push({ name, rows: rows[code]! }); // '': only an erased user had it
  if (all) for (const name of rest.types) events.push({ name, rows: 0 });
  events.sort((a, b) => b.rows - a.rows);
  const keys = rest.columns.filter((key) => !key.endsWith(OVERFLOW));
  const profileKeys = connection
    .prepare<[number | null], string>(
      'SELECT DISTINCT json_each.key FROM profiles, json_each(properties) WHERE person >= ? ORDER BY person DESC',
    )
    .pluck()
    .all(oldestSearched(connection));
  return {
    events,
    fields: [
      ...keys.filter((key) => key.startsWith('p:')).map((key) => `event_properties.${key.slice(2)}`),
      ...keys.filter((key) => key.startsWith('u:')).map((key) => `user_properties.${key.slice(2)}`),
      ...new Set([...profileKeys, ...rest.profileKeys].map((key) => `user.${key}`)),
    ].slice(0, MOST_NAMES * 3),
  };
}

/** The oldest of the newest profiles that are searched, since there may be a million; null: there is none. Reads their lengths alone. */
function oldestSearched(connection: Connection): number | null {
  const newest = connection.prepare<[number], { person: number; bytes: number }>(
    'SELECT person, octet_length(properties) AS bytes FROM profiles ORDER BY person DESC LIMIT ?',
  );
  let oldest: number | null = null;
  let left = PROFILE_BYTES;
  for (const { person, bytes } of newest.iterate(MOST_NAMES)) {
    oldest = person;
    left -= bytes;
    if (left < 0) break;
  }
  return oldest;
}

/** The codes 1 to `last`. */
const range = (last: number): number[] => Array.from({ length: last }, (_, i) => i + 1);

/** Codes of the most frequent events, ascending, so that neighbouring texts are read together. */
function mostFrequent(rows: Float64Array): number[] {
  const codes = new Uint32Array(rows.length).map((_, code) => code);
  return [...codes.sort((a, b) => rows[b]! - rows[a]!).subarray(0, MOST_NAMES)]
    .filter((code) => rows[code]! > 0)
    .sort((a, b) => a - b);
}
