/**
 * How the file of a shard looks from outside. Whatever is written to a shard is written to its file, or to the log beside it
 * (`-wal`) until that is taken into the file; an erasure makes another file. Two sightings that are the same, the first of which
 * was no moment after a change, are of the same content.
 */
import fs from 'node:fs';

export interface Sighting {
  readonly inode: string;
  /** Length and time of the last change (ns since the epoch) of the file. */
  readonly bytes: string;
  readonly changed: string;
  /** The same of the log; 0 where it is empty or not there. */
  readonly logBytes: string;
  readonly logChanged: string;
}

/** File systems note changes to some milliseconds, some to 2 s: a later change could have the same time. Nanoseconds. */
const GRAIN = 2_000_000_000n;

/** `fresh`: it was changed so lately that a further change might not be seen. null: there is no such file. */
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
  return { sighting, fresh: now - last < GRAIN };
}

export function same(a: Sighting, b: Sighting): boolean {
  return (
    a.inode === b.inode &&
    a.bytes === b.bytes &&
    a.changed === b.changed &&
    a.logBytes === b.logBytes &&
    a.logChanged === b.logChanged
  );
}
