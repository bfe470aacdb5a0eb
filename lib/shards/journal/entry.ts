/** What a journal file is read as. */
import type { JournalFile } from './names.ts';

/** Where a record is in a file, and its checksum: once the file is rewritten, the next one may stand where it was. */
interface Placed {
  readonly at: number;
  readonly end: number;
  readonly sum: number;
}

export interface Place extends Placed {
  readonly file: JournalFile;
}

/** A good record, or bytes that should have been records. */
export type JournalEntry =
  ({ readonly kind: 'record'; readonly head: Uint8Array; readonly body: Uint8Array } & Placed) | JournalGap;

export interface JournalGap {
  readonly kind: 'gap';
  readonly at: number;
  readonly end: number;
  /** Records that are lost with it. */
  readonly records: number;
  /** Ids of projects that can still be read of the lost records. */
  readonly projects: readonly string[];
  /** Whether these are all, and none of them is damaged itself. */
  readonly sure: boolean;
}

/** Bytes in which a head names its project. */
export const HEAD_START = 128;

/** The project that a head names, as far as it can be read; null when it cannot. */
export function projectOf(head: Uint8Array): string | null {
  return /^\{"project":\{"id":"([\w-]{1,64})"/.exec(Buffer.from(head).toString('latin1'))?.[1] ?? null;
}
