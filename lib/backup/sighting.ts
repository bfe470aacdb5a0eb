/**
 * What a shard file looks like from outside. Writes to a shard go to its file, or to the log beside it (`-wal`) until SQLite
 * moves them into the file; an erasure makes a new file. Two equal sightings mean equal content, unless the first was taken
 * moments after a change.
 */
import fs from 'node:fs';

export interface Sighting {
  readonly inode: string;
  /** Length and time of the last change (ns since the epoch) of the file. */
  readonly bytes: string;
  readonly changed: string;
  /** The same for the log; 0 if it is empty or missing. */
  readonly logBytes: string;
  readonly logChanged: string;
}

/** `fresh`: changed so recently that another change might go unnoticed. null: there is no such file. */
export function lookAt(file: string): { readonly sighting: Sighting; readonly fresh: boolean } | null {
  const now = BigInt(Date.now()) * 1_000_000n;
  const found = fs.statSync(file, { bigint: true, throwIfNoEntry: false });
  if (found === undefined) return null;
  const log = fs.statSync(`${file}-wal`, { bigint: true, throwIfNoEntry: false });
  const logBytes = log?.size ?? 0n;
  const logChanged = log === undefined || logBytes === 0n ? 0n : log.mtimeNs;
  const sighting = {
    inode: String(found.ino),
    bytes: String(found.size),
    changed: String(found.mtimeNs),
    logBytes: String(logBytes),
    logChanged: String(logChanged),
  };
  const last = found.mtimeNs > logChanged ? found.mtimeNs : logChanged;
  // File systems date changes to within some milliseconds, some to 2 s: a later change could get the same time.
  // Nanoseconds.
  return { sighting, fresh: now - last < 2_000_000_000n };
}
