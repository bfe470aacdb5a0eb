/** Profiles in a shard's file. */
import { checkedText, sumOf, parseStored } from './stored-bytes.ts';
import { prepared, type Connection } from './shard-file.ts';

/** `firstSeen`, `lastSeen`: times known besides the stored events (from identifies, and events dropped by retention). */
export interface StoredProfile {
  firstSeen: number | null;
  lastSeen: number | null;
  properties: Readonly<Record<string, unknown>>;
  /** When each property was changed (change-dates.ts); '': before that was kept. */
  dates: string;
}

export interface ProfileRow {
  readonly person: number;
  readonly firstSeen: number | null;
  readonly lastSeen: number | null;
  readonly properties: string;
  readonly dates: string;
}

/** Saves times of users whose events are about to be dropped in their profiles. Must run inside the caller's transaction. */
export function rememberTimes(
  connection: Connection,
  times: ReadonlyMap<number, { readonly first: number; readonly last: number }>,
): void {
  for (const [person, { first, last }] of times) {
    const { firstSeen, lastSeen, properties, dates } = readProfile(connection, person);
    const seen = { firstSeen: Math.min(firstSeen ?? Infinity, first), lastSeen: Math.max(lastSeen ?? -Infinity, last) };
    saveProfiles(connection, [{ person, ...seen, properties: JSON.stringify(properties), dates }]);
  }
}

/** Must run inside the caller's transaction. */
export function saveProfiles(connection: Connection, rows: readonly ProfileRow[]): void {
  if (rows.length === 0) return;
  const upsert = prepared(
    connection,
    'INSERT OR REPLACE INTO profiles (person, first_seen, last_seen, properties, dates, sum) VALUES (?, ?, ?, ?, ?, ?)',
  );
  for (const { person, firstSeen, lastSeen, properties, dates } of rows)
    upsert.run(person, firstSeen, lastSeen, properties, dates, sumOf(properties + dates));
}

/** All stored profiles, ascending by person. Throws if one is damaged. */
export function* allProfiles(connection: Connection): Generator<ProfileRow> {
  const rows = connection.prepare<[], StoredProfileRow & { readonly person: number }>(
    'SELECT person, first_seen, last_seen, properties, dates, sum FROM profiles ORDER BY person',
  );
  for (const { person, first_seen: firstSeen, last_seen: lastSeen, ...row } of rows.iterate())
    yield { person, firstSeen, lastSeen, ...checkedProfile(row) };
}

/** The profile of a person, an empty one if nothing is stored. Throws if it is damaged. */
export function readProfile(connection: Connection, person: number): StoredProfile {
  const row = prepared<[number], StoredProfileRow>(
    connection,
    'SELECT first_seen, last_seen, properties, dates, sum FROM profiles WHERE person = ?',
  ).get(person);
  if (!row) return { firstSeen: null, lastSeen: null, properties: {}, dates: '' };
  const { properties, dates } = checkedProfile(row);
  return {
    firstSeen: row.first_seen,
    lastSeen: row.last_seen,
    properties: parseStored<Record<string, unknown>>(properties),
    dates,
  };
}

/** The texts of a row; the sum is of both, one after the other. Throws if they are damaged. */
export function checkedProfile({ properties, dates, sum }: ProfileTexts): { properties: string; dates: string } {
  checkedText(properties + (dates ?? ''), sum);
  return { properties, dates: dates ?? '' };
}

interface ProfileTexts {
  readonly properties: string;
  /** null: in a row of before format 4. */
  readonly dates: string | null;
  readonly sum: number | null;
}

interface StoredProfileRow extends ProfileTexts {
  readonly first_seen: number | null;
  readonly last_seen: number | null;
}
