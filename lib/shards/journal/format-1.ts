/**
 * Journal files of version 0.1.0, still read but no longer written: u32 length of what follows the checksum · u32 CRC-32 of it,
 * seeded with the file's number · u32 length of the head · head (JSON) · body. Nothing marks where a record begins, so after
 * damage every place that looks like one is tried.
 */
import zlib from 'node:zlib';
import { HEAD_START, projectOf, type JournalEntry } from './entry.ts';

const PREFIX = 12;
/** Bytes to checksum in the search after damage: a body may look like millions of records. */
const MOST_SEARCHED = 2 ** 32;

type Found = Extract<JournalEntry, { kind: 'record' }>;

export function* entriesOfFirstFormat(bytes: Buffer, number: number): Generator<JournalEntry> {
  for (let at = 0; ;) {
    const record = recordAt(bytes, number, at) ?? nextRecord(bytes, number, at + 1);
    if (record === null) return;
    if (record.at > at) {
      const project = projectOf(bytes.subarray(at + PREFIX, at + PREFIX + HEAD_START));
      yield { kind: 'gap', at, end: record.at, records: 1, projects: project === null ? [] : [project], sure: false };
    }
    yield record;
    at = record.end;
  }
}

function nextRecord(bytes: Buffer, number: number, from: number): Found | null {
  let left = MOST_SEARCHED;
  for (let head = bytes.indexOf('{"project":', from + PREFIX); head >= 0; head = bytes.indexOf('{"project":', head + 1)) {
    const at = head - PREFIX;
    left -= bytes.readUInt32LE(at);
    if (left < 0) return null;
    const record = recordAt(bytes, number, at);
    if (record !== null) return record;
  }
  return null;
} // prettier-ignore

function recordAt(bytes: Buffer, number: number, at: number): Found | null {
  if (at + PREFIX > bytes.length) return null;
  const length = bytes.readUInt32LE(at);
  const end = at + 8 + length;
  const headEnd = at + PREFIX + bytes.readUInt32LE(at + 8);
  if (length < 4 || end > bytes.length || headEnd > end) return null;
  const sum = bytes.readUInt32LE(at + 4);
  if (zlib.crc32(bytes.subarray(at + 8, end), number) !== sum) return null;
  return {
    kind: 'record',
    at,
    end,
    sum,
    head: bytes.subarray(at + PREFIX, headEnd),
    body: bytes.subarray(headEnd, end),
  };
}
