import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { AppError } from '../../base/errors.ts';
import { CONTROL_FILE } from '../database.ts';
import { storageError } from '../storage/sqlite-error.ts';
import { schemaOf, schemaProblems } from '../../base/schema-problems.ts';
import { MIGRATIONS } from '../storage/migrations.ts';
import { MOST_TOLD } from '../../base/text/shown.ts';

export interface ControlReport {
  /** Problems, one line each; empty if there are none. */
  readonly problems: readonly string[];
  /** Names of the projects by id, as far as readable. */
  readonly projects: ReadonlyMap<string, string>;
}

/** Checks the control database without changing it. Throws AppError `not_found` if the folder has none. */
export function checkControl(dataFolder: string): ControlReport {
  requireData(dataFolder);
  const read = (db: Database.Database): ControlReport => {
    const problems = [...integrityProblems(db), ...danglingRows(db)];
    const projects = db.prepare<[], { id: string; name: string }>('SELECT id, name FROM projects').all();
    return { problems, projects: new Map(projects.map(({ id, name }) => [id, name])) };
  };
  return asFarAsReadable(dataFolder, read, ({ message }) => ({ problems: [message], projects: new Map() }));
}

/** Ids of the projects of which events were ever stored, as far as readable: each has a file. */
export function projectsWithEvents(dataFolder: string): readonly string[] {
  const sql = 'SELECT project_id FROM usage GROUP BY project_id HAVING sum(events_stored) > 0';
  const read = (db: Database.Database): string[] => db.prepare<[], string>(sql).pluck().all();
  return asFarAsReadable(dataFolder, read, () => []); // `checkControl` tells why
}

function asFarAsReadable<T>(dataFolder: string, read: (db: Database.Database) => T, without: (error: Error) => T): T {
  const db = new Database(join(dataFolder, CONTROL_FILE), { readonly: true });
  try {
    return read(db);
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    // SQLite makes files beside a database even to read it. Where it cannot, nothing is known of the database.
    if (/^SQLITE_(CANTOPEN|READONLY|FULL)/.test(error.code)) throw storageError(error);
    return without(error);
  } finally {
    db.close();
  }
}

/** Throws AppError `not_found` for a folder that no server ever ran on: the caller must mean another. */
export function requireData(dataFolder: string): void {
  if (existsSync(join(dataFolder, CONTROL_FILE))) return;
  throw new AppError('not_found', `${dataFolder} is not a data folder: it has no ${CONTROL_FILE}`, {
    hints: [
      'name the folder with --data, or set WINDLASS_DATA',
      '`wl serve` and `wl admin org create NAME` create one',
    ],
  });
}

function integrityProblems(db: Database.Database): string[] {
  const lines = db.prepare<[], string>(`PRAGMA integrity_check(${MOST_TOLD})`).pluck().all();
  return lines.filter((line) => line !== 'ok');
}

function danglingRows(db: Database.Database): string[] {
  const rows = db.prepare<[], { table: string; parent: string }>('PRAGMA foreign_key_check').all();
  return rows
    .slice(0, MOST_TOLD)
    .map(({ table, parent }) => `a row of ${table} names a row of ${parent} that is not there`);
}

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
