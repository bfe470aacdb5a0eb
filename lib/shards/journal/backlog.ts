/**
 * Acknowledged records that are neither sealed nor in memory: where in the journal each project's records are. Those of an
 * earlier run are found once, at the start; those of this run are what there was no memory for. Records are only read once their
 * project is needed. Meanwhile files may be rewritten without other projects' records; a record that is no longer at its place is
 * searched for in its file.
 */
import fs from 'node:fs';
import path from 'node:path';
import { projectOf, type Place } from './entry.ts';
import { journalEntries } from './format.ts';
import type { JournalFile } from './names.ts';
import { headOf, type JournalRecord } from './rewrite.ts';
import type { RecordHead } from './record-head.ts';
import { openedFile } from '../../base/files/opened-file.ts';

interface Waiting {
  /** In order of arrival. */
  places: readonly Place[];
  /** Records on their way to the journal. */
  coming: number;
  /** Number of these already returned. */
  returned: number;
  /** The arrival number of the next request, or a greater one; null: it was not computed yet. */
  next: number | null;
}

export class Backlog {
  readonly #folder: string;
  /** Projects of an earlier run are in order of their first record. */
  readonly #projects = new Map<string, Waiting>();
  /** Number of projects whose first record is in a file. */
  readonly #needed = new Map<number, number>();
  /** Projects of an earlier run, the one with the newest record last; computed when needed. */
  #byNewest: string[] | null = null;
  #open: { readonly file: JournalFile; readonly fd: number } | null = null;

  /** @param isOwn Whether a project belongs to this writer. */
  constructor(folder: string, files: readonly JournalFile[], isOwn: (project: string) => boolean) {
    this.#folder = folder;
    for (const file of files) {
      for (const [project, places] of this.#placesIn(file, isOwn)) {
        const known = this.#projects.get(project);
        if (known) known.places = [...known.places, ...places];
        else this.add(project, places);
      }
    }
  }

  /** Adds a project that has nothing waiting here, with its records in order of arrival. @param next If known: see `next`. */
  add(project: string, places: readonly Place[], next: number | null = null): void {
    this.#projects.set(project, { places, coming: 0, returned: 0, next });
    this.#need(places[0]!);
  }

  /** Announces a record of a project, which may have nothing here so far: `append` or `cancel` must follow. @param next See `nextArrival`. */
  expect(project: string, next: number): void {
    const waiting = this.#projects.get(project) ?? { places: [], coming: 0, returned: 0, next };
    waiting.coming++;
    waiting.next = next;
    this.#projects.set(project, waiting);
  }

  /** Adds the record, which is in the journal now. */
  append(project: string, place: Place): void {
    const waiting = this.#waiting(project);
    waiting.coming--;
    if (waiting.places.length === 0) this.#need(place);
    waiting.places = [...waiting.places, place];
  }

  /** The record will not come. */
  cancel(project: string): void {
    const waiting = this.#waiting(project);
    waiting.coming--;
    if (waiting.coming === 0 && waiting.places.length === 0) this.#projects.delete(project);
  }

  /** Bytes of a project's records; 0 if none is waiting. */
  bytesOf(project: string): number {
    return this.#projects.get(project)?.places.reduce((sum, { at, end }) => sum + end - at, 0) ?? 0;
  }

  /** What the next request of a waiting project may have as its arrival number; null: `last` and the shard tell. */
  nextArrival(project: string): number | null {
    return this.#waiting(project).next;
  }

  expectNext(project: string, next: number): void {
    this.#waiting(project).next = next;
  }

  /** The last record of a waiting project; null if it is no longer where it was. */
  last(project: string): WaitingRecord | null {
    const place = this.#waiting(project).places.at(-1);
    const record = place ? this.#read(place, project) : null;
    this.rest();
    return record;
  }

  get size(): number {
    return this.#projects.size;
  }

  has(project: string): boolean {
    return this.#projects.has(project);
  }

  projects(): IterableIterator<string> {
    return this.#projects.keys();
  }

  /** The first file with a waiting record; Infinity if there is none. */
  get neededFile(): number {
    return Math.min(...this.#needed.keys());
  }

  /** The first file with a record of a project; Infinity if there is none. */
  firstFile(project: string): number {
    return this.#projects.get(project)?.places[0]?.file.number ?? Infinity;
  }

  /** Where a project's records are. */
  placesOf(project: string): readonly Place[] {
    return this.#waiting(project).places;
  }

  /** The wanted project whose first record is in the first file; undefined if none has any. */
  oldest(isWanted: (project: string) => boolean): string | undefined {
    let [oldest, first]: [string | undefined, number] = [undefined, Infinity];
    const { neededFile } = this;
    for (const [project, { places }] of this.#projects) {
      const file = places[0]?.file.number ?? Infinity;
      if (file < first && isWanted(project)) [oldest, first] = [project, file];
      if (first === neededFile) break;
    }
    return oldest;
  }

  /** The wanted project of an earlier run whose last record is newest; undefined if none is waiting. */
  newest(isWanted: (project: string) => boolean): string | undefined {
    const order = (this.#byNewest ??= this.#orderByLast());
    while (order.length > 0 && !this.#projects.has(order.at(-1)!)) order.pop();
    return order.findLast((project) => this.#projects.has(project) && isWanted(project));
  }

  /**
   * The next record of a project, in order of arrival; null if none is left. After its file was rewritten, some records may come
   * again. Throws if it cannot be read. Call `rest` when no more are needed for now.
   */
  next(project: string): WaitingRecord | null {
    const waiting = this.#projects.get(project);
    const place = waiting?.places[waiting.returned];
    if (!waiting || !place) return null;
    let record = this.#read(place, project);
    if (record === null) {
      this.rest(); // the open file may be the one that was replaced
      this.#findAgain(place.file);
      const again = waiting.places[waiting.returned];
      record = again?.file === place.file ? this.#read(again, project) : null;
    }
    if (record === null) throw new Error(`${place.file.name} has lost records of project ${project}`);
    waiting.returned++;
    return record;
  }

  /** Closes the file read last: once rewritten, it must not stay on disk because it is open. */
  rest(): void {
    if (this.#open) fs.closeSync(this.#open.fd);
    this.#open = null;
  }

  /** Removes a project: its records were replayed, or are not wanted. */
  forget(project: string): void {
    const first = this.#projects.get(project)?.places[0]?.file.number;
    this.#projects.delete(project);
    if (first === undefined) return;
    const others = (this.#needed.get(first) ?? 0) - 1;
    if (others > 0) this.#needed.set(first, others);
    else this.#needed.delete(first);
  }

  #need({ file: { number } }: Place): void {
    this.#needed.set(number, (this.#needed.get(number) ?? 0) + 1);
  }

  #waiting(project: string): Waiting {
    const waiting = this.#projects.get(project);
    if (waiting === undefined) throw new Error(`nothing of ${project} is waiting`);
    return waiting;
  }

  #placesIn(file: JournalFile, isWanted: (project: string) => boolean): Map<string, Place[]> {
    const found = new Map<string, Place[]>();
    for (const entry of journalEntries(fs.readFileSync(path.join(this.#folder, file.name)), file)) {
      if (entry.kind !== 'record') continue;
      const { at, end, sum, head } = entry;
      const project = projectOf(head) ?? headOf<RecordHead>(head).project.id;
      if (!isWanted(project)) continue;
      const place = { file, at, end, sum };
      const places = found.get(project);
      if (places) places.push(place);
      else found.set(project, [place]);
    }
    return found;
  }

  /** Finds the records of a rewritten file again. Those already returned come again, as they cannot be told from the others. */
  #findAgain(file: JournalFile): void {
    const found = this.#placesIn(file, (project) => this.#projects.has(project));
    for (const [project, waiting] of this.#projects) {
      const { places, returned } = waiting;
      const first = places.findIndex((place) => place.file === file);
      if (first < 0) continue;
      const others = places.filter((place) => place.file !== file);
      const now = found.get(project) ?? [];
      const after = first + places.length - others.length;
      waiting.places = [...others.slice(0, first), ...now, ...others.slice(first)];
      if (returned >= after) waiting.returned += waiting.places.length - places.length;
      else if (returned > first) waiting.returned = first;
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

  #orderByLast(): string[] {
    const last = [...this.#projects].flatMap(([project, { places }]) => {
      const place = places.at(-1);
      return place ? [{ project, place }] : [];
    });
    last.sort((a, b) => a.place.file.number - b.place.file.number || a.place.at - b.place.at);
    return last.map(({ project }) => project);
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
