/** Tasks of the store thread on the files of projects: each keeps its project busy, and others continue. */
import { thrownBy } from '../steps.ts';
import type { StoreResults, StoreTask, TaskOf } from '../seal/store-tasks.ts';
import type { Storing } from '../storer.ts';
import type { ProjectActor, ProjectMessage } from './project-actor.ts';
import type { ProjectActors } from './project-actors.ts';
import type { ShardFiles } from './shard-files.ts';

export interface FileTasksOptions {
  readonly storing: Storing;
  readonly files: ShardFiles;
  /** Called when a project is no longer busy. */
  readonly ended: (project: ProjectActor) => void;
}

/** What to do after a task. The project has the state again that it had before. */
export interface AfterTask<Op extends StoreTask['op']> {
  readonly done: (value: StoreResults[Op]) => void;
  readonly failed: (error: Error) => void;
  /** The message that needs the task, processed again once it is done. */
  readonly next?: ProjectMessage;
  /** Events are processed meanwhile. */
  readonly admits?: 'appends';
}

/** Called at the end of something, with an error if it failed. */
export type Ended = (error: Error | null) => void;

export class FileTasks {
  readonly #options: FileTasksOptions;
  #running = 0;
  #sealingBytes = 0;

  constructor(options: FileTasksOptions) {
    this.#options = options;
  }

  /** Number of tasks that run or wait. */
  get running(): number {
    return this.#running;
  }

  /** Bytes of journal that are being sealed. */
  get sealingBytes(): number {
    return this.#sealingBytes;
  }

  /** Hands over a task. Everything read of the project must be in the journal. */
  run<Op extends StoreTask['op']>(project: ProjectActor, task: TaskOf<Op>, after: AfterTask<Op>): void {
    const { storing, files, ended } = this.#options;
    const bytes = task.op === 'seal' ? project.loaded.frozenBytes : 0;
    project.busy(task.op, after.admits ?? 'nothing');
    files.leave(project.id);
    this.#running++;
    this.#sealingBytes += bytes;
    storing.run(project.tenant, files.fileOf(project.id), task, (outcome) => {
      files.leave(project.id);
      project.done();
      this.#running--;
      this.#sealingBytes -= bytes;
      if (outcome.ok) {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the task gives
        after.done(outcome.value as StoreResults[Op]);
        if (after.next) project.putBack(after.next);
      } else {
        const error = thrownBy(outcome);
        files.writeFailed(project.id, error);
        after.failed(error);
      }
      ended(project);
    });
  }

  /**
   * The files that were sealed into stay open until others need their place. Whoever closes such a file last checkpoints its log and
   * waits for the disk twice, so the store thread does that beforehand. @param sealed Just used: its file stays.
   */
  closeFiles(projects: ProjectActors, sealed: ProjectActor, failed: (id: string, error: Error) => void): void {
    const { files } = this.#options;
    for (const id of files.closedSoon()) {
      const project = projects.of(id);
      if (project === sealed || !(project.isIdle || project.isForgettable)) continue;
      this.run<'checkpoint'>(
        project,
        { op: 'checkpoint' },
        {
          ...(project.shard !== null && { admits: 'appends' }),
          done: () => files.close(id),
          failed: (error) => failed(id, error),
        },
      );
    }
  }
}
