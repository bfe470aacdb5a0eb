import Database from 'better-sqlite3';

/** Loads the native module, so that the first file need not do so when no descriptor is left for it. */
export function loadSqlite(): void {
  new Database(':memory:').close();
}
