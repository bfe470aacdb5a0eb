/** The folder of journals, apart from the writers: what is done before they start, and what no single one of them may do. */
import { makeFolderOnDisk } from '../../base/files/make-folders.ts';
import fs from 'node:fs';
import path from 'node:path';
import { forgetSetAside, journalReports, type JournalDamage } from './damage.ts';
import { journalFiles, type JournalFile } from './names.ts';
import { repairJournal, rewriteForeign, tidyJournal, type RepairedFile } from './rewrite.ts';
import type { RecordHead } from './record-head.ts';

export class JournalFolder {
  readonly #folder: string;
  readonly #partitions: number;
  /** Files of a run with another number of writers, which this run's writers ignore. */
  #foreign: readonly JournalFile[] = [];

  /** @param partitions Number of writers. */
  constructor(dataFolder: string, partitions: number) {
    this.#folder = path.join(dataFolder, 'journal');
    this.#partitions = partitions;
  }

  /** Call before writers start. Returns damage in files of an earlier run. Throws AppError for files of a later version. */
  prepare(): readonly RepairedFile[] {
    makeFolderOnDisk(this.#folder);
    tidyJournal(this.#folder, this.#partitions);
    const repaired = repairJournal(this.#folder);
    this.#foreign = journalFiles(this.#folder).filter((file) => file.partitions !== this.#partitions);
    return repaired;
  }

  /** Call it once all writers have sealed what those files hold. */
  removeForeign(): void {
    for (const { name } of this.#foreign) fs.rmSync(path.join(this.#folder, name), { force: true });
  }

  /** Removes a project's records from files that no writer writes to. */
  scrub(project: string): void {
    rewriteForeign<RecordHead>(this.#folder, this.#partitions, (head) => head.project.id === project);
    forgetSetAside(this.#folder, project);
  }

  /** Damage found in this folder, now or in earlier runs, whose report the operator has not removed. */
  get damage(): readonly JournalDamage[] {
    return journalReports(this.#folder);
  }
}
