/** Removing data for good, in the writer: deleting a project, and the writer's part of erasing a user. */
import { AppError } from '../../base/errors.ts';
import { unloaded, type Away, type Told } from './away.ts';
import type { Snapshot } from '../shard-reader.ts';
import type { HeldBack } from './held-back.ts';
import type { Journal } from '../journal/journal.ts';
import type { Sealing } from './sealing.ts';
import type { Again } from './writer-turns.ts';
import type { ShardSet } from './shard-set.ts';
import type { UsageReport } from './usage-report.ts';
import { nextArrivalOf, raiseArrivals } from '../seal/renew-shard.ts';
import type { ReplaceMessage } from '../writer-messages.ts';

export interface RemovalOptions {
  readonly shards: ShardSet;
  readonly sealing: Sealing;
  readonly usageReport: UsageReport;
  readonly held: HeldBack;
  /** Delivers messages that were held back. */
  readonly again: Again;
  readonly away: Away;
  /** Its closed files are rewritten without the project's records, which are all sealed or no longer wanted. */
  readonly journal: Pick<Journal<never>, 'beginScrub' | 'endScrub'>;
}

/**
 * An erasure reads the whole shard file, so a separate thread does it. Meanwhile the writer has closed the file and holds back
 * messages of the project; other projects continue.
 */
export class Removal {
  readonly #options: RemovalOptions;

  constructor(options: RemovalOptions) {
    this.#options = options;
  }

  /** Seals everything of a project and closes its file, until `thaw`. */
  freeze(project: string): Snapshot {
    const { shards, sealing, usageReport, held } = this.#options;
    const shard = shards.get(project);
    if (shard.unsealed) sealing.seal(shard);
    shards.makeFile(project);
    usageReport.usage();
    const snapshot = shards.snapshot(shard);
    shards.forget(project);
    held.hold(project);
    return snapshot;
  }

  /** Resumes a project, whose file may be a new one. */
  thaw(project: string, told: Told): void {
    const { shards, held, again } = this.#options;
    shards.leave(project);
    const goOn = (): void => again(held.release(project));
    try {
      this.#scrub(project, (error) => {
        goOn();
        told(error);
      });
    } catch (error) {
      goOn();
      throw error;
    }
  }

  /**
   * Replaces the file of a project's shard. Of the old data, only records that `unreplayed` says are in the journal alone are
   * kept: the next start takes them up. Throws AppError `conflict` without changing anything.
   */
  replace({ project, staged, aside, force }: ReplaceMessage, unreplayed: boolean, told: Told): void {
    const { shards, sealing, usageReport } = this.#options;
    const next = this.#nextArrival(project);
    if (!force && (next === null || next > nextArrivalOf(staged))) throw newer(next === null);
    usageReport.usage();
    if (next !== null) raiseArrivals(staged, next);
    if (shards.has(project)) sealing.journalBytes -= shards.get(project).journalBytes;
    shards.replace(project, { staged, aside });
    if (unreplayed) told(null);
    else this.#scrub(project, told);
  }

  /** null if the shard is damaged. */
  #nextArrival(project: string): number | null {
    try {
      return this.#options.shards.get(project).state.nextArrival;
    } catch (error) {
      if (error instanceof AppError && error.data.code === 'shard_damaged') return null;
      throw error;
    }
  }

  drop(project: string, told: Told): void {
    const { shards, sealing, usageReport } = this.#options;
    usageReport.usage();
    if (shards.has(project)) sealing.journalBytes -= shards.get(project).journalBytes;
    shards.remove(project);
    this.#scrub(project, told);
  }

  /** Has the journal rewritten, which takes up to a second. */
  #scrub(project: string, told: Told): void {
    const { away, journal } = this.#options;
    const files = journal.beginScrub();
    const ended = (error: Error | null): void => {
      journal.endScrub();
      told(error);
    };
    const task = { op: 'scrub', ...files, project } as const;
    away.run<'scrub'>(unloaded(project), task, { done: () => ended(null), failed: ended });
  }
}

function newer(isDamaged: boolean): AppError {
  const what = isDamaged
    ? 'the data of the project is damaged, and may contain more than the backup'
    : 'the project has events or profiles that are newer than the backup';
  return new AppError('conflict', what, { hints: ['with --force they are moved aside'] });
}
