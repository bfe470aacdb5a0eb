/**
 * The schema in PostgreSQL: the same steps as in a file (migrations.ts), in its names of types. So there is one history, and both
 * have the same version.
 */
import { sql } from 'kysely';
import { AppError } from '../../base/errors.ts';
import type { Queries } from './engine.ts';
import { MIGRATIONS, SCHEMA_VERSION } from './migrations.ts';

const VERSION = 'schema_version';

/** Makes what is missing. Inside a transaction in which nobody else does. Throws AppError for the schema of a newer release. */
export async function migratePostgres(db: Queries): Promise<void> {
  const version = await versionOf(db);
  if (version > SCHEMA_VERSION) {
    throw new AppError('storage_unavailable', 'the control database was written by a newer release of Windlass', {
      hints: ['start that release on every node, or name another database'],
    });
  }
  if (version === SCHEMA_VERSION) return;
  for (const step of MIGRATIONS.slice(version)) await sql.raw(inPostgres(step)).execute(db);
  const value = Buffer.from(String(SCHEMA_VERSION));
  const insert = db.insertInto('meta').values({ name: VERSION, value });
  await insert.onConflict((row) => row.column('name').doUpdateSet({ value })).execute();
}

async function versionOf(db: Queries): Promise<number> {
  const { rows } = await sql<{ made: boolean }>`SELECT to_regclass('meta') IS NOT NULL AS made`.execute(db);
  if (rows[0]?.made !== true) return 0;
  const { value } = await db.selectFrom('meta').select('value').where('name', '=', VERSION).executeTakeFirstOrThrow();
  return Number(value.toString());
}

const TRIGGER =
  /CREATE TRIGGER (?:IF NOT EXISTS )?(\w+) ((?:BEFORE|AFTER) (?:UPDATE|DELETE) ON \w+)\s+BEGIN\s+([\s\S]*?)\s*END;/g;

/** Rows are numbered as they come, as SQLite does by itself; texts compare by bytes. */
function inPostgres(step: string): string {
  return step
    .replaceAll(TRIGGER, (_, name: string, when: string, body: string) => {
      const act = body.replace(/SELECT RAISE\(ABORT, ('[^']*')\)/, 'RAISE EXCEPTION $1');
      return `
        CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${act} RETURN OLD; END $$;
        CREATE TRIGGER ${name} ${when} FOR EACH ROW EXECUTE FUNCTION ${name}();`;
    })
    .replaceAll(/\) STRICT, WITHOUT ROWID;/g, ');')
    .replaceAll(/\) STRICT;/g, ', rowid bigint GENERATED ALWAYS AS IDENTITY);')
    .replaceAll(/INTEGER PRIMARY KEY(?: AUTOINCREMENT)?/g, 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY')
    .replaceAll(/\bINTEGER\b/g, 'bigint')
    .replaceAll(/\bREAL\b/g, 'double precision')
    .replaceAll(/\bBLOB\b/g, 'bytea')
    .replaceAll(/\bTEXT\b/g, 'text COLLATE "C"');
}
