/** Whether a control database has the tables, indexes, views and triggers of the version that it names, and nothing else. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { schemaOf, schemaProblems } from '../../base/schema-problems.ts';
import { CONTROL_FILE } from '../database.ts';
import { storageError } from '../storage/sqlite-error.ts';
import { MIGRATIONS } from '../storage/migrations.ts';

/**
 * One line for each part that differs. Runs nothing of what the file has. A newer release's is left to whoever opens it. Throws
 * AppError if it cannot be read.
 */
export function controlSchemaProblems(folder: string): string[] {
  const db = new Database(join(folder, CONTROL_FILE), { readonly: true, fileMustExist: true });
  const own = new Database(':memory:');
  try {
    const version = Number(db.pragma('user_version', { simple: true }));
    if (version > MIGRATIONS.length) return [];
    for (const step of MIGRATIONS.slice(0, version)) own.exec(step);
    return schemaProblems(schemaOf(db), schemaOf(own));
  } catch (error) {
    throw storageError(error);
  } finally {
    db.close();
    own.close();
  }
}
