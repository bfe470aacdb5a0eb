/** The names of journal files: which lane and which number a file is, and the salt of its records. */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';

/** Which writer of how many: files of one folder belong to several. */
export interface Lane {
  readonly lane: number;
  readonly lanes: number;
}

export interface JournalFile extends Lane {
  readonly name: string;
  readonly number: number;
  /** Begins each record; null: a file of format 1, whose records have none. It stands in the name, where no damage to the content reaches it. */
  readonly salt: Buffer | null;
}

/** Files that wait to be written over. */
const SPARES = 2;
const SALT_BYTES = 8;

export const sameLane = (a: Lane, b: Lane): boolean => a.lane === b.lane && a.lanes === b.lanes;

/** A file that is not there yet. */
export function newJournalFile({ lane, lanes }: Lane, number: number): JournalFile & { readonly salt: Buffer } {
  const salt = randomBytes(SALT_BYTES);
  const name = `w${lane}of${lanes}-${String(number).padStart(12, '0')}-${salt.toString('hex')}.log`;
  return { lane, lanes, number, name, salt };
}

/** The journal files of a folder in order of their numbers. */
export function journalFiles(folder: string): JournalFile[] {
  return fs
    .readdirSync(folder)
    .flatMap((name) => parseName(name) ?? [])
    .sort((a, b) => a.number - b.number || a.lane - b.lane);
}

/** File names of a lane's spares. */
export const spareNames = ({ lane, lanes }: Lane): string[] =>
  Array.from({ length: SPARES }, (_, i) => `spare-w${lane}of${lanes}-${i}`);

function parseName(name: string): JournalFile | null {
  const match = /^w(\d+)of(\d+)-(\d+)(?:-([0-9a-f]{16}))?\.log$/.exec(name);
  if (!match) return null;
  const salt = match[4] === undefined ? null : Buffer.from(match[4], 'hex');
  return { name, lane: Number(match[1]), lanes: Number(match[2]), number: Number(match[3]), salt };
}
