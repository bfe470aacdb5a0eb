/** What an earlier run acknowledged and did not seal, read from the journal at the start. */
import type { AppError } from '../errors.ts';
import type { JournalFile } from './journal-names.ts';
import { readJournal, type JournalRecord } from './journal-rewrite.ts';
import { laneOf } from './lane.ts';
import type { RecordHead } from './record-head.ts';
import { damaged } from './shard-file.ts';

export interface ReplayOptions {
  readonly folder: string;
  readonly lane: number;
  readonly lanes: number;
  /** Takes a record up again, unless its shard holds it. */
  readonly take: (record: JournalRecord<RecordHead>, file: number) => void;
}

/** Projects some of whose acknowledged events could not be taken up: without them answers would be wrong, so until the next start they get none. */
export class Unreplayed {
  readonly #errors = new Map<string, AppError>();
  /** The first journal file that holds such an event; Infinity: none does. */
  neededFile = Infinity;

  get error(): AppError | null {
    return [...this.#errors.values()][0] ?? null;
  }

  get projects(): Iterable<string> {
    return this.#errors.keys();
  }

  has(project: string): boolean {
    return this.#errors.has(project);
  }

  add(project: string, error: unknown): void {
    this.#errors.set(project, damaged(error, project));
  }

  /** Throws for such a project. */
  check(project: string): void {
    const error = this.#errors.get(project);
    if (error) throw error;
  }

  /** The project was deleted. */
  forget(project: string): void {
    this.#errors.delete(project);
    if (this.#errors.size === 0) this.neededFile = Infinity;
  }
}

/** Takes up all records of this lane. A project whose shard cannot be read, or whose record cannot be taken, is passed over: its records stay in the journal. */
export function replay(files: readonly JournalFile[], { folder, lane, lanes, take }: ReplayOptions): Unreplayed {
  const unreplayed = new Unreplayed();
  for (const file of files) {
    for (const record of readJournal<RecordHead>(folder, file)) {
      const { id } = record.head.project;
      if (laneOf(id, lanes) !== lane) continue;
      try {
        if (!unreplayed.has(id)) take(record, file.number);
      } catch (error) {
        unreplayed.add(id, error);
      }
      if (unreplayed.has(id)) unreplayed.neededFile = Math.min(unreplayed.neededFile, file.number);
    }
  }
  return unreplayed;
}
