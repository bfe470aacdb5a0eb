/**
 * Backups in a bucket, below one prefix:
 *
 *     backups/<time>.json     the manifest of a backup: written last, removed first
 *     files/<SHA-256>         files of all backups: an unchanged file is shared by many
 *     erasures/…              the log of erasures (erasures/bucket-log.ts)
 */
import PQueue from 'p-queue';
import type { Bucket, Listed } from '../buckets/bucket.ts';
import { manifestOf, type BackedUpFile, type Manifest } from './manifest.ts';
import { isBackupName } from './series.ts';

/** Files removed at once. */
const AT_ONCE = 4;
const MANIFESTS = 'backups/';
const FILES = 'files/';
const MANIFEST = /^backups\/(.+)\.json$/;
/** How long a file of no backup is kept, as it may belong to a backup being made. Milliseconds. */
const GRACE = 24 * 3_600_000;

export const manifestKey = (name: string): string => `${MANIFESTS}${name}.json`;

export const fileKey = ({ sha256 }: Pick<BackedUpFile, 'sha256'>): string => FILES + sha256;

interface ListedBackup {
  /** The time it began, in the format of backup folder names. */
  readonly name: string;
  readonly manifest: Listed;
}

/** Oldest first. */
export async function backupsIn(bucket: Bucket): Promise<readonly ListedBackup[]> {
  const found = (await bucket.list(MANIFESTS)).flatMap((manifest) => {
    const name = MANIFEST.exec(manifest.key)?.[1] ?? '';
    return isBackupName(name) ? { name, manifest } : [];
  });
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Throws AppError if it cannot be read or is of a newer release. */
export async function readBackup(bucket: Bucket, { name, manifest }: ListedBackup): Promise<Manifest> {
  const text = await bucket.read(manifest);
  return manifestOf(text?.toString('utf8') ?? '', `${bucket.name}/${name}`);
}

/** The complete files, by key. */
export async function filesIn(bucket: Bucket): Promise<ReadonlyMap<string, Listed>> {
  return new Map((await bucket.list(FILES)).map((file) => [file.key, file]));
}

/** Removes all but the newest `keep` backups, and files that no backup uses. Returns the names of the removed backups. */
export async function prune(bucket: Bucket, keep: number): Promise<readonly string[]> {
  const files = await filesIn(bucket); // before the manifests, so that files written later are not in it
  const backups = await backupsIn(bucket);
  const [gone, kept] = [backups.slice(0, -keep), backups.slice(-keep)];
  for (const { manifest } of gone) await bucket.remove(manifest.key);
  const wanted = new Set<string>();
  for (const backup of kept) for (const file of (await readBackup(bucket, backup)).files) wanted.add(fileKey(file));
  const newest = [...files.values()].reduce((last, { at }) => Math.max(last, at), 0);
  const unwanted = [...files.values()].filter(({ key, at }) => !wanted.has(key) && at < newest - GRACE);
  const queue = new PQueue({ concurrency: AT_ONCE });
  await Promise.all(unwanted.map(({ key }) => queue.add(() => bucket.remove(key))));
  return gone.map(({ name }) => `${bucket.name}/${name}`);
}
