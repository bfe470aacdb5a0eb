/** What of a PostgreSQL keeps a node from starting. */
import { sql } from 'kysely';
import { AppError } from '../../base/errors.ts';
import type { Queries } from './engine.ts';

/** As PostgreSQL writes it: 150004 is 15.4. */
const OLDEST = 150_000;
/** Sessions, links and limits end by nodes' clocks. Milliseconds. */
const MOST_APART = 60_000;

export interface PostgresFacts {
  readonly version: number;
  readonly encoding: string;
  /** By its clock, ms since the epoch. */
  readonly time: number;
  /** null: the schema that is named does not exist. */
  readonly schema: string | null;
}

export async function postgresFacts(db: Queries): Promise<PostgresFacts> {
  const { rows } = await sql<PostgresFacts>`SELECT current_setting('server_version_num')::int AS version,
    current_setting('server_encoding') AS encoding, (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS time,
    current_schema() AS schema`.execute(db);
  return rows[0]!;
}

/** Throws AppError that says what to do. `asked` and `answered`: when, by this machine's clock. */
export function checkPostgres(
  facts: PostgresFacts,
  [asked, answered]: readonly [asked: number, answered: number],
): void {
  const { version, encoding, time, schema } = facts;
  if (version < OLDEST)
    throw unusable(`it is PostgreSQL ${Math.floor(version / 10_000)}`, 'use PostgreSQL 15 or newer');
  if (encoding !== 'UTF8')
    throw unusable(
      `the encoding of the database is ${encoding}`,
      "make another with CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0, and name that in WINDLASS_CONTROL",
    );
  if (schema === null)
    throw unusable(
      'the schema does not exist',
      'make it with CREATE SCHEMA, or name another in WINDLASS_CONTROL (?schema=name)',
    );
  const apart = Math.max(asked - time, time - answered);
  if (apart > MOST_APART)
    throw unusable(
      `the clocks of this machine and of PostgreSQL are ${Math.round(apart / 1_000)} s apart`,
      'synchronize them with a time server',
    );
}

function unusable(why: string, what: string): AppError {
  return new AppError('storage_unavailable', `the control database cannot be used: ${why}`, { hints: [what] });
}
