/** Profiles in a shard's file. */
import { checkedText, sumOf, parseStored } from './stored-bytes.ts';
import { prepared, type Connection } from './shard-file.ts';

/** `firstSeen`, `lastSeen`: times known besides the stored events (from identifies, and events dropped by retention). */
export interface StoredProfile {
  firstSeen: number | null;
  lastSeen: number | null;
  properties: Readonly<Record<string, unknown>>;
}

export interface ProfileRow {
  readonly person: number;
  readonly firstSeen: number | null;
  readonly lastSeen: number | null;
  readonly properties: string;
}

/** Saves times of users whose events are about to be dropped in their profiles. Must run inside the caller's transaction. */
export function rememberTimes(
  connection: Connection,
  times: ReadonlyMap<number, { readonly first: number; readonly last: number }>,
): void {
  for (const [person, { first, last }] of times) {
    const { firstSeen, lastSeen, properties } = readProfile(connection, person);
    const seen = { firstSeen: Math.min(firstSeen ?? Infinity, first), lastSeen: Math.max(lastSeen ?? -Infinity, last) };
    saveProfiles(connection, [{ person, ...seen, properties: JSON.stringify(properties) }]);
  }
}

/** Must run inside the caller's transaction. */
export function saveProfiles(connection: Connection, rows: readonly ProfileRow[]): void {
  if (rows.length === 0) return;
  const upsert = prepared(
    connection,
    'INSERT OR REPLACE INTO profiles (person, first_seen, last_seen, properties, sum) VALUES (?, ?, ?, ?, ?)',
  );
  for (const { person, firstSeen, lastSeen, properties } of rows)
    upsert.run(person, firstSeen, lastSeen, properties, sumOf(properties));
}

/** All stored profiles, ascending by person. Throws if one is damaged. */
export function* allProfiles(connection: Connection): Generator<ProfileRow> {
  const rows = connection.prepare<[], StoredProfileRow & { readonly person: number }>(
    'SELECT person, first_seen, last_seen, properties, sum FROM profiles ORDER BY person',
  );
  for (const { person, first_seen: firstSeen, last_seen: lastSeen, properties, sum } of rows.iterate())
    yield { person, firstSeen, lastSeen, properties: checkedText(properties, sum) };
}

/** The profile of a person, an empty one if nothing is stored. Throws if it is damaged. */
export function readProfile(connection: Connection, person: number): StoredProfile {
  const row = prepared<[number], StoredProfileRow>(
    connection,
    'SELECT first_seen, last_seen, properties, sum FROM profiles WHERE person = ?',
  ).get(person);
  if (!row) return { firstSeen: null, lastSeen: null, properties: {} };
  const properties = parseStored<Record<string, unknown>>(checkedText(row.properties, row.sum));
  return { firstSeen: row.first_seen, lastSeen: row.last_seen, properties };
}

interface StoredProfileRow {
  readonly first_seen: number | null;
  readonly last_seen: number | null;
  readonly properties: string;
  readonly sum: number | null;
}
