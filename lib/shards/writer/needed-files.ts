/** Which journal files are needed, and what may go. */
import type { Backlog } from '../journal/backlog.ts';
import type { Journal } from '../journal/journal.ts';
import type { RecordHead } from '../journal/record-head.ts';
import type { Sealing } from './sealing.ts';
import type { Unreplayed } from './unreplayed.ts';

interface NeededFilesOptions {
  readonly journal: Journal<RecordHead>;
  readonly backlog: Backlog;
  readonly unreplayed: Unreplayed;
  readonly sealing: () => Sealing;
}

export class NeededFiles {
  readonly #options: NeededFilesOptions;

  constructor(options: NeededFilesOptions) {
    this.#options = options;
  }

  /** The first file with something not taken up. */
  get first(): number {
    return Math.min(this.#options.backlog.neededFile, this.#options.unreplayed.neededFile);
  }

  /** Releases files before the one that seals need first, and returns the first that stays. */
  release(oldest: number): number {
    const first = Math.min(oldest, this.first);
    this.#options.journal.release(first);
    return first;
  }

  /** Removes sealed records from files that cannot be released because something in them cannot be sealed. */
  thin(afresh: boolean): void {
    const { journal, backlog, unreplayed, sealing } = this.#options;
    const waiting = new Set([...unreplayed.projects, ...backlog.projects(), ...sealing().needy()]);
    journal.thin((head) => !waiting.has(head.project.id), afresh);
  }
}
