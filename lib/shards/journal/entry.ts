/** What reading a journal file yields. */
import type { JournalFile } from './names.ts';

/** Where a record is in a file, and its checksum, since rewriting the file may put another record there. */
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
  /** Records lost with it. */
  readonly records: number;
  /** Ids of projects that can still be read from the lost records. */
  readonly projects: readonly string[];
  /** Whether these are all of them, and none is damaged itself. */
  readonly sure: boolean;
}

/** Bytes at the start of a head, enough for the id of its project. */
export const HEAD_START = 128;

/** The project that a head names; null if it cannot be read. */
export function projectOf(head: Uint8Array): string | null {
  return /^\{"project":\{"id":"([\w-]{1,64})"/.exec(Buffer.from(head).toString('latin1'))?.[1] ?? null;
}

/** The projects whose records can be read, each once. */
export function projectsOf(entries: readonly JournalEntry[]): ReadonlySet<string> {
  const heads = entries.flatMap((entry) => (entry.kind === 'record' ? entry.head.subarray(0, HEAD_START) : []));
  return new Set(heads.flatMap((head) => projectOf(head) ?? []));
}
