/** Where a backup goes. Its files are made one after the other in a local folder, the draft. */
import type { BackedUpFile, Manifest } from './manifest.ts';

export interface Destination {
  /** Name of the finished backup, for people and for a restore. */
  readonly name: string;
  /** The draft folder; its disk must have room. */
  readonly draft: string;
  /** Manifest of the last finished backup there, whose files may be reused; null: none can be read. */
  readonly previous: Manifest | null;
  /** Reuses a file of the earlier backup in this one. `checked`: reads its content first. False: it is missing or has changed. */
  takeOver(known: BackedUpFile, checked: boolean): boolean;
  /** Stores a file that is in the draft, synced and summed; may delete it there. Resolves when the next may be made. */
  store(file: BackedUpFile): Promise<void>;
  /** Once this resolves, the backup exists. */
  commit(manifest: Manifest): Promise<void>;
  /** Removes all but the newest `keep` backups; returns the names of those removed. */
  prune(keep: number): Promise<readonly string[]>;
  /** Writes the log of erasures there, beside the backups. */
  bringLog(log: Buffer): Promise<void>;
  /** Removes whatever is half done. */
  [Symbol.dispose](): void;
}
