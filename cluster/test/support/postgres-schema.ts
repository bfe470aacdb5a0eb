/** A schema of a test's own on the PostgreSQL that POSTGRES_URL names. */
import { Client } from 'pg';
import { postgresLocation, type PostgresLocation } from '../../../lib/base/config/postgres-location.ts';

let count = 0;

export async function newSchema(): Promise<PostgresLocation> {
  const url = process.env['POSTGRES_URL'];
  if (url === undefined) throw new Error('these tests need a server: npm run test:postgres starts one');
  const schema = `test_${process.pid}_${count++}`;
  await run(url, `CREATE SCHEMA ${schema}`);
  return { ...postgresLocation.parse(url), schema };
}

export function urlOf({ user, password, host, port, database, schema }: PostgresLocation): string {
  return `postgres://${user}:${password}@${host}:${port}/${database}?schema=${schema}`;
}

/** Runs statements in a schema. */
export async function runInSchema(location: PostgresLocation, text: string): Promise<void> {
  await run(process.env['POSTGRES_URL'] ?? '', `SET search_path TO ${location.schema}; ${text}`);
}

/** Call when nobody uses them any more. */
export async function dropSchemas(locations: Iterable<PostgresLocation>): Promise<void> {
  for (const { schema } of locations) await run(process.env['POSTGRES_URL'] ?? '', `DROP SCHEMA ${schema} CASCADE`);
}

async function run(url: string, text: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
