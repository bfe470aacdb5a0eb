/** The names of journal files: partition, number, and the salt of their records. */
import fs from 'node:fs';
import { randomBytes } from 'node:crypto';

/** Which writer of how many: one folder holds files of several writers. */
export interface WriterPartition {
  readonly partition: number;
  readonly partitions: number;
}

export interface JournalFile extends WriterPartition {
  readonly name: string;
  readonly number: number;
  /** Begins each record; null for format 1, which has none. It is in the name, safe from damage to the content. */
  readonly salt: Uint8Array | null;
}

/** Files kept to be overwritten. */
const SPARES = 2;
const SALT_BYTES = 8;

export const samePartition = (a: WriterPartition, b: WriterPartition): boolean =>
  a.partition === b.partition && a.partitions === b.partitions;

export function newJournalFile(
  { partition, partitions }: WriterPartition,
  number: number,
): JournalFile & { readonly salt: Uint8Array } {
  const salt = randomBytes(SALT_BYTES);
  const name = `w${partition}of${partitions}-${String(number).padStart(12, '0')}-${salt.toString('hex')}.log`;
  return { partition, partitions, number, name, salt };
}

/** The journal files of a folder, by number. */
export function journalFiles(folder: string): JournalFile[] {
  return fs
    .readdirSync(folder)
    .flatMap((name) => journalFile(name) ?? [])
    .sort((a, b) => a.number - b.number || a.partition - b.partition);
}

/** Copies of journal files that were left half made, for each the file that it was made of. */
export function halfMadeFiles(folder: string): { readonly name: string; readonly of: JournalFile }[] {
  return fs.readdirSync(folder).flatMap((name) => {
    const of = name.endsWith('.new') ? journalFile(name.slice(0, -'.new'.length)) : null;
    return of === null ? [] : { name, of };
  });
}

/** File names of a partition's spares. */
export const spareNames = ({ partition, partitions }: WriterPartition): string[] =>
  Array.from({ length: SPARES }, (_, i) => `spare-w${partition}of${partitions}-${i}`);

/** What the name of a journal file says; null if it is not one. */
function journalFile(name: string): JournalFile | null {
  const match = /^w(\d+)of(\d+)-(\d+)(?:-([0-9a-f]{16}))?\.log$/.exec(name);
  if (!match) return null;
  const salt = match[4] === undefined ? null : Uint8Array.from(Buffer.from(match[4], 'hex'));
  return { name, partition: Number(match[1]), partitions: Number(match[2]), number: Number(match[3]), salt };
}

/** The writer, of `partitions`, that a project belongs to. */
export function partitionOf(project: string, partitions: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < project.length; i++) hash = Math.imul(hash ^ project.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % partitions;
}
