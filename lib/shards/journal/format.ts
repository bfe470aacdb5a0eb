/**
 * The contents of a journal file, format 3. All numbers are u32, little-endian; checksums are CRC-32, seeded with the file's
 * number. Format 2 has no packed bodies.
 *
 *     header   "windlass" · format · salt (8 bytes) · checksum of these
 *     record   salt · checksum · records before it · length of the head · length of the body · checksum of the body · head · body
 *     mark     a record without head and body: everything before it was synced
 *
 * The first checksum of a record covers everything after it except the body. The salt is random and unique to the file, so
 * leftovers of the file's earlier use are never read, and after damage it leads to the next good record: senders of events cannot
 * know it, so they cannot put a record into a body.
 *
 * A bad record before a good one or a mark is damage, because a group is only written once the one before it is synced. A bad
 * record with nothing good after it is the torn end of a write that was never acknowledged.
 */
import zlib from 'node:zlib';
import { AppError } from '../../base/errors.ts';
import { HEAD_START, projectOf, type JournalEntry } from './entry.ts';
import { entriesOfFirstFormat } from './format-1.ts';
import type { JournalFile } from './names.ts';

export const JOURNAL_FORMAT = 3;
export const HEADER_BYTES = 24;
/** Bytes of a record without head and body. */
const RECORD_BYTES = 28;

const MAGIC = Buffer.from('windlass');
const CHECKED = 12; // the first checksum of a record covers what follows from here

export function encodeHeader({ salt }: { readonly salt: Uint8Array }): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header, 0);
  header.writeUInt32LE(JOURNAL_FORMAT, 8);
  header.set(salt, 12);
  header.writeUInt32LE(zlib.crc32(header.subarray(0, 20)), 20);
  return header;
}

/** A record without its body, and without what `sign` fills in. */
export function encodeHead(head: Uint8Array, bodyLength: number): Buffer {
  const record = Buffer.allocUnsafe(RECORD_BYTES + head.length);
  record.writeUInt32LE(head.length, 16);
  record.writeUInt32LE(bodyLength, 20);
  record.set(head, RECORD_BYTES);
  return record;
}

/** Binds a record to its place in a file. `index`: number of records before it. Returns its checksum. */
export function sign(record: Buffer, body: Uint8Array, file: { readonly number: number; readonly salt: Uint8Array }, index: number): number {
  record.set(file.salt, 0);
  record.writeUInt32LE(index, CHECKED);
  record.writeUInt32LE(zlib.crc32(body, file.number), 24);
  const sum = zlib.crc32(record.subarray(CHECKED), file.number);
  record.writeUInt32LE(sum, 8);
  return sum;
} // prettier-ignore

/** The records of a whole file in order, and its damage. Throws AppError for the format of a later version. */
export function* journalEntries(bytes: Buffer, file: JournalFile): Generator<JournalEntry> {
  const { salt, number } = file;
  if (salt === null) yield* entriesOfFirstFormat(bytes, number);
  else yield* entries({ bytes, salt, number }, file.name);
}

function* entries(reader: Reader, name: string): Generator<JournalEntry> {
  let at = hasHeader(reader, name) ? HEADER_BYTES : 0;
  for (let index = 0; ;) {
    const record = recordAt(reader, at) ?? nextRecord(reader, at + 1);
    if (record === null) return;
    if (record.at > at) {
      const projects = projectsIn(reader, at, record.at);
      yield { kind: 'gap', at, end: record.at, records: record.index - index, projects, sure: false };
    }
    at = record.end;
    index = record.index;
    if (record.head.length === 0) continue;
    index++;
    const { body } = record;
    if (zlib.crc32(body, reader.number) === record.bodySum) yield { kind: 'record', ...record };
    else if (!isLast(reader, record.end)) {
      yield { kind: 'gap', at: record.at, end: record.end, records: 1, projects: [projectOf(record.head)].flatMap((project) => project ?? []), sure: true };
    } // prettier-ignore
  }
}

interface Reader {
  readonly bytes: Buffer;
  readonly salt: Uint8Array;
  readonly number: number;
}

interface RawRecord {
  readonly at: number;
  readonly end: number;
  readonly index: number;
  readonly sum: number;
  readonly head: Uint8Array;
  readonly body: Uint8Array;
  readonly bodySum: number;
}

function hasHeader({ bytes, salt }: Reader, name: string): boolean {
  const header = bytes.subarray(0, HEADER_BYTES);
  if (header.length < HEADER_BYTES || !header.subarray(12, 20).equals(salt)) return false;
  if (zlib.crc32(header.subarray(0, 20)) !== header.readUInt32LE(20) || !header.subarray(0, 8).equals(MAGIC)) return false;
  const format = header.readUInt32LE(8);
  if (format > JOURNAL_FORMAT) throw newerFormat(`the journal file ${name}`, format);
  return true;
} // prettier-ignore

/** The record at a place, if its head is good; its body has its full length, but may be damaged. */
function recordAt({ bytes, salt, number }: Reader, at: number): RawRecord | null {
  if (at + RECORD_BYTES > bytes.length || bytes.compare(salt, 0, salt.length, at, at + salt.length) !== 0) return null;
  const headEnd = at + RECORD_BYTES + bytes.readUInt32LE(at + 16);
  const end = headEnd + bytes.readUInt32LE(at + 20);
  if (end > bytes.length) return null;
  const sum = bytes.readUInt32LE(at + 8);
  if (zlib.crc32(bytes.subarray(at + CHECKED, headEnd), number) !== sum) return null;
  return {
    ...{ at, end, sum, index: bytes.readUInt32LE(at + CHECKED), bodySum: bytes.readUInt32LE(at + 24) },
    ...{ head: bytes.subarray(at + RECORD_BYTES, headEnd), body: bytes.subarray(headEnd, end) },
  };
}

/** The first record from `from` on whose head is good. */
function nextRecord(reader: Reader, from: number): RawRecord | null {
  for (let at = reader.bytes.indexOf(reader.salt, from); at >= 0; at = reader.bytes.indexOf(reader.salt, at + 1)) {
    const record = recordAt(reader, at);
    if (record !== null) return record;
  }
  return null;
}

/** Whether nothing good follows. */
function isLast(reader: Reader, at: number): boolean {
  for (let next = nextRecord(reader, at); next !== null; next = nextRecord(reader, next.end)) {
    if (zlib.crc32(next.body, reader.number) === next.bodySum) return false;
  }
  return true;
}

/** The projects of lost records: heads begin with the project, and the damage may be further on. */
function projectsIn({ bytes, salt }: Reader, from: number, to: number): string[] {
  const projects = new Set<string>();
  for (let at = from; at >= 0 && at < to; at = bytes.indexOf(salt, at + 1)) {
    const project = projectOf(bytes.subarray(at + RECORD_BYTES, at + RECORD_BYTES + HEAD_START));
    if (project !== null) projects.add(project);
  }
  return [...projects];
}

/** The error for something that a later version wrote and this one cannot read. */
export function newerFormat(what: string, format: number): AppError {
  return new AppError('storage_unavailable', `${what} has format ${format}, which is of a later version of Windlass`, {
    hints: ['Start the version that wrote it, or a later one.'],
  });
}
