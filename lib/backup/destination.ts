/** Where a backup goes while it is made. Its files are made in a folder of this machine, the draft, one after the other. */
import type { BackedUpFile, Manifest } from './manifest.ts';

export interface Destination {
  /** What the backup is called when it is whole, for people and for a restore. */
  readonly name: string;
  /** The disk that the draft is on, or the bucket: where there must be room. */
  readonly draft: string;
  /** Of the whole backup there whose files may be taken over; null: there is none that can be read. */
  readonly previous: Manifest | null;
  /** Makes a file of the earlier backup one of this. `checked`: its content is read before. False: it is not there as it was. */
  takeOver(known: BackedUpFile, checked: boolean): boolean;
  /** A file is in the draft, on the disk, and summed. Resolves when the next may be made: it may go from the draft. */
  store(file: BackedUpFile): Promise<void>;
  /** From when this resolves the backup is one. */
  commit(manifest: Manifest): Promise<void>;
  /** Removes all but the newest `keep` backups; answers their names. */
  prune(keep: number): Promise<readonly string[]>;
  /** Brings the log of erasures there, beside the backups. */
  bringLog(log: Buffer): Promise<void>;
  /** Removes what is half made. */
  close(): void;
}
