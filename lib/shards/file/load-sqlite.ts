import Database from 'better-sqlite3';

/** Loads the native module, which otherwise happens with the first file: too late where no descriptor is left for it. */
export function loadSqlite(): void {
  new Database(':memory:').close();
}
