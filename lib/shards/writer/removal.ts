/** Removing data for good, in the writer: deleting a project, and the writer's part of erasing a user. */
import { AppError } from '../../base/errors.ts';
import type { Journal } from '../journal/journal.ts';
import type { Ended, FileTasks } from './file-tasks.ts';
import type { ProjectActor } from './project-actor.ts';
import type { ProjectActors } from './project-actors.ts';
import type { Sealing } from './sealing.ts';
import type { ShardFiles } from './shard-files.ts';
import type { Snapshot } from '../shard-reader.ts';
import type { UsageReport } from './usage-report.ts';
import { nextArrivalOf, raiseArrivals } from '../seal/renew-shard.ts';
import type { ReplaceMessage } from '../writer-messages.ts';

export interface RemovalOptions {
  readonly projects: ProjectActors;
  readonly files: ShardFiles;
  readonly sealing: Sealing;
  readonly usageReport: UsageReport;
  readonly tasks: FileTasks;
  /** Its closed files are rewritten without the project's records, which are all sealed or no longer wanted. */
  readonly journal: Pick<Journal<never>, 'beginScrub' | 'endScrub'>;
}

/**
 * An erasure reads the whole shard file, so a separate thread does it. Meanwhile the writer has closed the file, and the project is
 * busy; other projects continue.
 */
export class ProjectRemoval {
  readonly #options: RemovalOptions;

  constructor(options: RemovalOptions) {
    this.#options = options;
  }

  /** Seals everything of a loaded project and closes its file, until `thaw`. */
  freeze(project: ProjectActor): Snapshot {
    const { projects, files, sealing, usageReport } = this.#options;
    if (project.loaded.unsealed) sealing.seal(project);
    files.make(project.id);
    usageReport.usage();
    const snapshot = projects.snapshot(project);
    projects.evict(project);
    project.busy('erasure', 'thaw');
    return snapshot;
  }

  /** Resumes a project, whose file may be a new one. */
  thaw(project: ProjectActor, ended: Ended): void {
    this.#options.files.leave(project.id);
    project.done();
    this.#scrub(project, ended);
  }

  /**
   * Replaces the file of a project's shard. Of the old data, only records that cannot be replayed are kept: the next start tries
   * again. Throws AppError `conflict` without changing anything.
   */
  replace(project: ProjectActor, { staged, aside, force }: ReplaceMessage, ended: Ended): void {
    const { files, usageReport } = this.#options;
    const next = project.shard?.state.nextArrival ?? null;
    if (!force && (next === null || next > nextArrivalOf(staged))) throw newer(next === null);
    usageReport.usage();
    if (next !== null) raiseArrivals(staged, next);
    const { state } = project;
    this.#evict(project);
    files.replace(project.id, { staged, aside });
    if (state.kind !== 'broken') return this.#scrub(project, ended);
    project.state = state;
    ended(null);
  }

  drop(project: ProjectActor, ended: Ended): void {
    const { files, usageReport } = this.#options;
    usageReport.usage();
    this.#evict(project);
    files.remove(project.id);
    this.#scrub(project, ended);
  }

  #evict(project: ProjectActor): void {
    const { projects, sealing } = this.#options;
    sealing.dropped(project);
    projects.evict(project);
  }

  /** Has the journal rewritten, which takes up to a second. */
  #scrub(project: ProjectActor, ended: Ended): void {
    const { tasks, journal } = this.#options;
    const files = journal.beginScrub();
    const end = (error: Error | null): void => {
      journal.endScrub();
      ended(error);
    };
    const task = { op: 'scrub', ...files, project: project.id } as const;
    tasks.run<'scrub'>(project, task, { done: () => end(null), failed: end });
  }
}

function newer(isDamaged: boolean): AppError {
  const what = isDamaged
    ? 'the data of the project is damaged, and may contain more than the backup'
    : 'the project has events or profiles that are newer than the backup';
  return new AppError('conflict', what, { hints: ['with --force they are moved aside'] });
}
