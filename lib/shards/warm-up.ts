/** What the first read of a thread would wait for, done before it comes. */
import Database from 'better-sqlite3';

/** Loads SQLite. */
export function warmUpReading(): void {
  new Database(':memory:').close();
}
