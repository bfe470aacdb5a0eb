/** A note in a data folder whose events were moved to a cluster: served on, it would take events that nobody finds again. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../base/config/setting-source.ts';
import { syncPath } from '../../base/files/sync-path.ts';

const MOVED_FILE = 'moved';

export function noteMoved(dataFolder: string, where: string): void {
  writeFileSync(join(dataFolder, MOVED_FILE), `${where}, ${new Date().toISOString()}\n`, { mode: 0o600, flush: true });
  syncPath(dataFolder);
}

/** Where its events were moved, and when; null: they were not. */
export function movedTo(dataFolder: string): string | null {
  const file = join(dataFolder, MOVED_FILE);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
}

/** Throws ConfigError for a moved folder. */
export function refuseMoved(dataFolder: string): void {
  const moved = movedTo(dataFolder);
  if (moved === null) return;
  throw new ConfigError(
    `The events of ${dataFolder} were moved to ClickHouse (${moved}): set WINDLASS_STORE, or remove ${join(dataFolder, MOVED_FILE)} to serve what was here then.`,
  );
}
