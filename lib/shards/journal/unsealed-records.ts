/**
 * Acknowledged records that are neither sealed nor in memory: where in the journal those of a project are. Those of an earlier run are
 * found once, at the start; those of this run are what there was no memory for. Records are only read once their project is needed.
 * Meanwhile files may be rewritten without other projects' records; a record that is no longer at its place is searched for in its file.
 */
import fs from 'node:fs';
import path from 'node:path';
import { projectOf, type Place } from './entry.ts';
import { journalEntries } from './format.ts';
import type { JournalFile } from './names.ts';
import { headOf, type JournalRecord } from './rewrite.ts';
import type { RecordHead } from './record-head.ts';
import { openedFile } from '../../base/files/opened-file.ts';

export class UnsealedRecords {
  /** In order of arrival. */
  places: Place[];
  /** Number of these already replayed. */
  replayed = 0;
  /** The arrival number of the next request, or a greater one; null: it was not computed yet. */
  next: number | null;
  /** Whether an earlier run left them: nobody knows yet that they are billed. */
  readonly isEarlier: boolean;
  /** Records on their way to the journal. */
  #coming = 0;

  constructor(places: Place[], next: number | null, isEarlier = false) {
    this.places = places;
    this.next = next;
    this.isEarlier = isEarlier;
  }

  /** Announces a record: `came` or `failed` must follow. @param next See above. */
  expect(next: number): void {
    this.#coming++;
    this.next = next;
  }

  /** The record is in the journal. */
  came(place: Place): void {
    this.#coming--;
    this.places.push(place);
  }

  /** The record will not come. */
  failed(): void {
    this.#coming--;
  }

  get isEmpty(): boolean {
    return this.#coming === 0 && this.places.length === 0;
  }

  get bytes(): number {
    return this.places.reduce((sum, { at, end }) => sum + end - at, 0);
  }

  /** The first file that has one; Infinity if none has. */
  get firstFile(): number {
    return this.places[0]?.file.number ?? Infinity;
  }
}

/** A project with such records. */
export interface Unsealed {
  readonly id: string;
  readonly records: UnsealedRecords;
}

/** The records of each project in some files, projects in order of their first record. @param isWanted Which projects. */
export function placesIn(
  folder: string,
  files: readonly JournalFile[],
  isWanted: (project: string) => boolean,
): Map<string, Place[]> {
  const found = new Map<string, Place[]>();
  for (const file of files) {
    for (const entry of journalEntries(fs.readFileSync(path.join(folder, file.name)), file)) {
      if (entry.kind !== 'record') continue;
      const { at, end, sum, head } = entry;
      const project = projectOf(head) ?? headOf<RecordHead>(head).project.id;
      if (!isWanted(project)) continue;
      const place = { file, at, end, sum };
      const places = found.get(project);
      if (places) places.push(place);
      else found.set(project, [place]);
    }
  }
  return found;
}

export class RecordReader {
  readonly #folder: string;
  readonly #all: () => Iterable<Unsealed>;
  #open: { readonly file: JournalFile; readonly fd: number } | null = null;

  /** @param all All projects with such records. */
  constructor(folder: string, all: () => Iterable<Unsealed>) {
    this.#folder = folder;
    this.#all = all;
  }

  /**
   * The next record of a project, in order of arrival; null if none is left. After its file was rewritten, some records may come
   * again. Throws if it cannot be read. Call `rest` when no more are needed for now.
   */
  next({ id, records }: Unsealed): WaitingRecord | null {
    const place = records.places[records.replayed];
    if (place === undefined) return null;
    let record = this.#read(place, id);
    if (record === null) {
      this.rest(); // the open file may be the one that was replaced
      this.#findAgain(place.file);
      const again = records.places[records.replayed];
      record = again?.file === place.file ? this.#read(again, id) : null;
    }
    if (record === null) throw new Error(`${place.file.name} has lost records of project ${id}`);
    records.replayed++;
    return record;
  }

  /** The last record of a project; null if it is no longer where it was. */
  last({ id, records }: Unsealed): WaitingRecord | null {
    const place = records.places.at(-1);
    const record = place ? this.#read(place, id) : null;
    this.rest();
    return record;
  }

  /** Closes the file read last: once rewritten, it must not stay on disk because it is open. */
  rest(): void {
    if (this.#open) fs.closeSync(this.#open.fd);
    this.#open = null;
  }

  /** Finds the records of a rewritten file again. Those already replayed come again, as they cannot be told from the others. */
  #findAgain(file: JournalFile): void {
    const all = [...this.#all()];
    const ids = new Set(all.map(({ id }) => id));
    const found = placesIn(this.#folder, [file], (project) => ids.has(project));
    for (const { id, records } of all) {
      const { places, replayed } = records;
      const first = places.findIndex((place) => place.file === file);
      if (first < 0) continue;
      const others = places.filter((place) => place.file !== file);
      const after = first + places.length - others.length;
      records.places = [...others.slice(0, first), ...(found.get(id) ?? []), ...others.slice(first)];
      if (replayed >= after) records.replayed += records.places.length - places.length;
      else if (replayed > first) records.replayed = first;
    }
  }

  #read(place: Place, project: string): WaitingRecord | null {
    return readRecord(this.#fdOf(place.file), place, project);
  }

  #fdOf(file: JournalFile): number {
    if (this.#open?.file === file) return this.#open.fd;
    this.rest();
    const fd = fs.openSync(path.join(this.#folder, file.name), 'r');
    this.#open = { file, fd };
    return fd;
  }
}

/** A record in the journal that is not in memory. */
export interface WaitingRecord extends JournalRecord<RecordHead> {
  readonly place: Place;
}

/** The project's record at a place of an open file; null if it is not there. */
function readRecord(fd: number, place: Place, project: string): WaitingRecord | null {
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
    using from = openedFile(path.join(folder, file.name), 'r');
    for (; places[next]?.file === file; next++) {
      const record = readRecord(from.fd, places[next]!, project);
      if (record === null) throw new Error(`${file.name} has lost records of project ${project}`);
      yield record;
    }
  }
}
