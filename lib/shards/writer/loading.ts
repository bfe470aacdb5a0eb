/**
 * Loads projects: reads the shard, and replays the records that the journal has and the file lacks, from an earlier run or spilled
 * to save memory. A project is loaded before its first message is processed; what nobody asks for is replayed in the background,
 * by the store thread (`replayNext`).
 */
import { monotonic } from '../../base/monotonic.ts';
import type { RecordReader, UnsealedRecords } from '../journal/unsealed-records.ts';
import { answerOf } from '../seal/answers.ts';
import type { Steps, StoreCall } from '../steps.ts';
import { indexShard } from '../seal/index-shard.ts';
import { runStoreTask } from '../seal/store-tasks.ts';
import type { Compaction } from './compaction.ts';
import type { FileTasks } from './file-tasks.ts';
import type { GroupCommit } from './group-commit.ts';
import { type LoadStep, type LoadSteps, type ProjectActor, SLICE } from './project-actor.ts';
import type { ProjectActors } from './project-actors.ts';
import type { RequestReader } from './request-steps.ts';
import type { Sealing } from './sealing.ts';
import type { ShardFiles } from './shard-files.ts';
import { MOST_SPILLED } from './shard-writer.ts';
import type { UsageReport } from './usage-report.ts';

/** From this fraction of the journal's limit on, the oldest records are replayed first and soon, since they keep the files. */
const PRESSED = 1 / 2;

interface LoadingOptions {
  /** The journal. */
  readonly folder: string;
  readonly records: RecordReader;
  readonly projects: ProjectActors;
  readonly files: ShardFiles;
  readonly tasks: FileTasks;
  readonly reader: RequestReader;
  readonly sealing: Sealing;
  readonly compaction: Compaction;
  readonly usageReport: UsageReport;
  readonly commits: Pick<GroupCommit, 'settle'>;
  /** Has the store thread do what a project waits for; its next turn continues. */
  readonly call: (project: ProjectActor, call: StoreCall) => void;
  /** Has a project take its turn. */
  readonly wake: (project: ProjectActor) => void;
  /** Called with a project that cannot be loaded. `isLost`: acknowledged records of it cannot be replayed. */
  readonly failed: (project: ProjectActor, error: unknown, isLost: boolean) => void;
}

export class Loading {
  readonly #options: LoadingOptions;
  /** The project that was loaded last of those that nobody had asked for. */
  #unasked: ProjectActor | null = null;

  constructor(options: LoadingOptions) {
    this.#options = options;
  }

  /** cold → loading. */
  begin(project: ProjectActor): void {
    this.#options.commits.settle(project.id); // what is on its way to the journal is one of its records then
    project.state = { kind: 'loading', steps: this.#steps(project) };
  }

  /** Continues for a slice of time. loading → open, cold or broken, at the end. */
  advance(project: ProjectActor, steps: LoadSteps): void {
    const { records, call } = this.#options;
    const until = performance.now() + SLICE.value;
    let step: IteratorResult<LoadStep, void>;
    try {
      do step = steps.next();
      while (step.value === 'slice' && performance.now() < until);
    } catch (error) {
      return this.#fail(project, error);
    } finally {
      records.rest();
    }
    if (step.done === true) return this.#end(project);
    if (step.value === 'index') return this.#index(project);
    if (step.value === 'seal') return this.#seal(project);
    if (step.value !== 'slice') call(project, step.value);
  }

  /** Replays everything at once, here; nobody is waiting for anything else. */
  all(): void {
    const { records, projects, files, sealing } = this.#options;
    const waiting = [...projects.all()].filter(({ isWaiting }) => isWaiting);
    for (const project of waiting.sort((a, b) => a.records!.firstFile - b.records!.firstFile)) {
      const { id } = project;
      try {
        for (const step of this.#steps(project)) {
          if (step === 'index') files.writing(id, () => indexShard(files.connection(id)));
          else if (step === 'seal') sealing.sealNow(project);
          else if (step !== 'slice') step.outcome = answerOf(0, () => runStoreTask(files.fileOf(id), step.task));
        }
        this.#end(project);
      } catch (error) {
        this.#fail(project, error);
      }
      records.rest();
      sealing.boundPending(monotonic());
    }
  }

  /**
   * Has the store thread replay and seal a project that nobody has asked for, if it has nothing else to do. Of an earlier run, the
   * one with the newest events comes first, because nobody knows yet that they are billed; otherwise, or if the journal needs its
   * room, one that has kept files the longest. Returns whether any is left.
   */
  replayNext(): boolean {
    const { tasks, projects } = this.#options;
    if (tasks.running > 0 || this.#unasked?.state.kind === 'loading')
      return [...projects.all()].some(({ isWaiting }) => isWaiting);
    const project = (this.isPressed ? null : this.#newest()) ?? this.#oldest();
    if (project === null || project.records === null) return false;
    if (project.records.bytes <= MOST_SPILLED) this.#replayElsewhere(project, project.records);
    else this.#loadUnasked(project); // in slices
    return true;
  }

  /** Whether the journal needs its room. */
  get isPressed(): boolean {
    return this.#options.sealing.fullness > PRESSED;
  }

  /** The cold project whose first record is in the first file. */
  #oldest(): ProjectActor | null {
    return this.#best(({ firstFile }) => -firstFile);
  }

  /** The cold project of an earlier run whose last record is newest. */
  #newest(): ProjectActor | null {
    return this.#best(({ isEarlier, places }) => {
      const last = places.at(-1);
      return isEarlier && last ? last.file.number + last.at / 2 ** 40 : -Infinity;
    });
  }

  /** The cold project whose records have the greatest value; null if none has one above -Infinity. */
  #best(valueOf: (records: UnsealedRecords) => number): ProjectActor | null {
    let [best, most]: [ProjectActor | null, number] = [null, -Infinity];
    for (const project of this.#options.projects.all()) {
      const value = project.isWaiting ? valueOf(project.records!) : -Infinity;
      if (value > most) [best, most] = [project, value];
    }
    return best;
  }

  #loadUnasked(project: ProjectActor): void {
    this.#unasked = project;
    this.begin(project);
    this.#options.wake(project);
  }

  /** Has the store thread replay all of a project, which stays cold. */
  #replayElsewhere(project: ProjectActor, records: UnsealedRecords): void {
    const { folder, files, sealing, compaction, usageReport, tasks, commits, projects } = this.#options;
    const { id } = project;
    commits.settle(id); // what is on its way to the journal is one of its records then
    files.close(id); // whoever closes it last waits for the disk
    const file = records.firstFile;
    const begun = performance.now();
    tasks.run<'replay'>(
      project,
      { op: 'replay', project: id, folder, places: records.places },
      {
        done: ({ days, isCompactable }) => {
          project.records = null;
          usageReport.replayed(id, days);
          sealing.sealedUnloaded(file, begun);
          if (!isCompactable) return;
          project.opened(projects.read(project));
          compaction.want(project, false);
        },
        failed: () => this.#loadUnasked(project), // which finds moved records, and reports what is wrong
      },
    );
  }

  /** Indexes a shard that was never indexed. */
  #index(project: ProjectActor): void {
    const failed = (error: Error): void => this.#fail(project, error);
    this.#options.tasks.run<'index'>(project, { op: 'index' }, { done: () => undefined, failed });
  }

  /** Seals as much as one seal takes before more is read. */
  #seal(project: ProjectActor): void {
    const { sealing } = this.#options;
    const failed = (error: Error): void => sealing.failed(project, error);
    if (!sealing.sealElsewhere(project, { failed })) sealing.sealNow(project);
  }

  #end(project: ProjectActor): void {
    const { sealing } = this.#options;
    project.records = null;
    project.opened(project.loaded);
    if (project.loaded.unsealed && (project.next === undefined || this.isPressed)) sealing.sealSoon(project);
  }

  #fail(project: ProjectActor, error: unknown): void {
    const { projects, sealing, failed } = this.#options;
    const isLost = project.records !== null;
    sealing.dropped(project);
    projects.evict(project);
    failed(project, error, isLost);
  }

  *#steps(project: ProjectActor): LoadSteps {
    const { records, projects, files, sealing, reader } = this.#options;
    const { id } = project;
    if (files.lacksIndex(id)) yield 'index';
    const shard = projects.read(project);
    if (project.records === null) return;
    const unsealed = { id, records: project.records };
    for (let record = records.next(unsealed); record !== null; record = records.next(unsealed)) {
      const bytes = yield* slices(reader.replay(shard, record));
      if (bytes !== null) sealing.took(project, bytes);
      yield sealing.isDue(project, monotonic()) ? 'seal' : 'slice';
    }
  }
}

/** Each step without a call is a point to serve others. */
function* slices<T>(steps: Steps<T>): Generator<LoadStep, T, undefined> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    yield step.value ?? 'slice';
  }
}
