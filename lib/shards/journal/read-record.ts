import fs from 'node:fs';
import path from 'node:path';
import { opened } from '../../base/files/opened.ts';
import type { Place } from './entry.ts';
import { journalEntries } from './format.ts';
import type { RecordHead } from './record-head.ts';
import { headOf, type JournalRecord } from './rewrite.ts';

/** A record in the journal that is not in memory. */
export interface WaitingRecord extends JournalRecord<RecordHead> {
  readonly place: Place;
}

/** The project's record at a place of an open file; null if it is not there. */
export function readRecord(fd: number, place: Place, project: string): WaitingRecord | null {
  const { file, at, end, sum } = place;
  const bytes = Buffer.allocUnsafe(end - at);
  if (fs.readSync(fd, bytes, 0, bytes.length, at) < bytes.length) return null;
  const [entry] = journalEntries(bytes, file);
  if (entry?.kind !== 'record' || entry.end !== bytes.length || entry.sum !== sum) return null;
  const head = headOf<RecordHead>(entry.head);
  return head.project.id === project ? { head, body: entry.body, place } : null;
}

/** The project's records at some places. Throws if one is not there: its file may have been rewritten. */
export function* recordsAt(folder: string, places: readonly Place[], project: string): Generator<WaitingRecord> {
  for (let next = 0; next < places.length;) {
    const { file } = places[next]!;
    using from = opened(path.join(folder, file.name), 'r');
    for (; places[next]?.file === file; next++) {
      const record = readRecord(from.fd, places[next]!, project);
      if (record === null) throw new Error(`${file.name} has lost records of project ${project}`);
      yield record;
    }
  }
}
