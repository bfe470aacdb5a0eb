/** Segments replaced by compactions (in another thread) or removed by retention, deleted once no query reads them. */
import { DAY_MS } from '../../base/day.ts';
import { monotonic } from '../../base/monotonic.ts';
import type { ProjectRef } from '../../base/project.ts';
import type { SegmentEntry } from '../segment/shard-meta.ts';
import type { Ended, FileTasks } from './file-tasks.ts';
import { tidyOnes, chooseSegments } from '../compaction/choose-segments.ts';
import type { ProjectActor } from './project-actor.ts';
import type { ProjectActors } from './project-actors.ts';
import type { ShardFiles } from './shard-files.ts';
import { expiredIds, sinceOf } from '../ingest/sealed-ids.ts';
import type { CompactedMessage, WriterReply, CompactionTask } from '../writer-messages.ts';
import type { ShardState } from '../ingest/shard-state.ts';

/** Pause after a failed compaction. Milliseconds. */
const RETRY = 60_000;

export interface CompactionOptions {
  readonly segmentRows: number;
  readonly projects: ProjectActors;
  readonly files: ShardFiles;
  readonly tasks: FileTasks;
  readonly post: (reply: WriterReply) => void;
}

export class Compaction {
  readonly stats = { compactions: 0 };
  readonly #options: CompactionOptions;

  constructor(options: CompactionOptions) {
    this.#options = options;
  }

  /** Requests a compaction if there is one to do and none is running: returns whether. `idle`: nothing has come for a while. */
  want(project: ProjectActor, idle: boolean): boolean {
    if (project.compactAfter > monotonic()) return false;
    const { segmentRows, projects, post } = this.#options;
    const { state } = project.loaded;
    const wanted = wantedCompaction(state, segmentRows, idle);
    if (wanted === null) return false;
    project.compactAfter = Infinity;
    const idsSince = sinceOf(state.segments, Date.now());
    post({ op: 'compact', task: { project: project.id, snapshot: projects.snapshot(project), idsSince, ...wanted } });
    return true;
  }

  /**
   * Replaces segments, and runs of a dictionary's index, by those that a compaction made of them; then calls `ended`, with an error if
   * they cannot be stored.
   */
  take(
    project: ProjectActor,
    { incarnation, replaced, segments, heavy, failed, texts, idGroup }: CompactedMessage,
    ended: Ended,
  ): void {
    const { state } = project.loaded;
    const { tasks, segmentRows } = this.#options;
    if (state.incarnation !== incarnation) return ended(null);
    project.compactAfter = failed ? monotonic() + RETRY : 0;
    if (idGroup !== null) state.groupIds(idGroup);
    if (replaced.length === 0 && texts === null) {
      if (idGroup !== null) this.want(project, false);
      return ended(null);
    }
    const gone = new Set(replaced);
    const left = state.segments.filter(({ id }) => !gone.has(id));
    if (left.length + gone.size !== state.segments.length) return ended(null); // some were dropped meanwhile; the next choice will see that
    const made = segments.map(({ rows, first, last, ids }) => ({ id: 0, rows, first, last, tidy: false, ids }));
    const tidy = tidyOnes(made, left, gone.size).map((one, i) => one && (heavy || segments[i]!.rows > segmentRows / 2));
    const index = texts && state.sharedTexts(texts.field).index;
    tasks.run<'compacted'>(
      project,
      { op: 'compacted', replaced, segments, tidy, texts },
      {
        done: ({ segments: there, made: entries, textRun }) => {
          if (entries !== null && entries.length > 0) this.stats.compactions++;
          if (textRun === null) index?.outdate();
          else {
            index?.remove(texts!.replaced);
            index?.add(textRun);
          }
          this.#take(project, there);
          this.want(project, false);
          ended(null);
        },
        failed: (error) => {
          index?.outdate(); // the disk may have taken it all the same
          ended(error);
        },
      },
    );
  }

  /** Removes the bytes of retired segments that no query reads any longer. */
  purge(project: ProjectActor, segments: readonly number[], ended: Ended): void {
    const shard = project.loaded;
    this.#options.tasks.run<'purge'>(
      project,
      { op: 'purge', segments },
      {
        done: () => {
          shard.retired = shard.retired.filter((id) => !segments.includes(id));
          ended(null);
        },
        failed: ended,
      },
    );
  }

  /** Drops segments whose events have all expired, and expired insert ids. Everything read must be sealed. */
  retain(project: ProjectActor, { retentionDays }: Retention, now: number, ended: Ended): void {
    const oldest = oldestOf(retentionDays, now);
    const { state } = project.loaded;
    const segments = state.segments.filter(({ last }) => last < oldest).map((segment) => segment.id);
    const filters = expiredIds(state.segments, now);
    if (filters.length + segments.length === 0) return ended(null);
    const profileVersion = state.profileVersion + (segments.length > 0 ? 1 : 0);
    this.#options.tasks.run<'retire'>(
      project,
      { op: 'retire', segments, filters, profileVersion },
      {
        done: (left) => {
          state.profileVersion = profileVersion;
          this.#take(project, left);
          ended(null);
        },
        failed: ended,
      },
    );
  }

  /** Whether a loaded project has expired segments, so that it must be sealed first: pending rows may change the same profiles. */
  expires({ loaded }: ProjectActor, { retentionDays }: Retention, now: number): boolean {
    const oldest = oldestOf(retentionDays, now);
    return loaded.state.segments.some(({ last }) => last < oldest);
  }

  /** Whether a cold project, which may have no file, has expired segments. */
  storedExpires({ id }: ProjectActor, { retentionDays }: Retention, now: number): boolean {
    const oldest = oldestOf(retentionDays, now);
    if (oldest === -Infinity) return false;
    return this.#options.files.storedSnapshot(id)?.segments.some(({ last }) => last < oldest) ?? false;
  }

  /** Takes over the segments that the file has now. Those of a seal that is to be tried again may be among them. */
  #take(project: ProjectActor, there: readonly SegmentEntry[]): void {
    const { projects, post } = this.#options;
    const shard = project.loaded;
    const gone = shard.state.segments.filter(({ id }) => !there.some((one) => one.id === id));
    shard.state.segments = there;
    if (gone.length === 0) return;
    shard.retired = [...shard.retired, ...gone.map(({ id }) => id)];
    post({ op: 'changed', snapshot: projects.snapshot(project), retired: shard.retired });
  }
}

type Retention = Pick<ProjectRef, 'retentionDays'>;

/** Earlier events are expired. */
const oldestOf = (retentionDays: number | null, now: number): number =>
  retentionDays === null ? -Infinity : now - retentionDays * DAY_MS;

/** Rows that a compaction may hold in memory, counted in full segments. */
const COMPACTION_SEGMENTS = 6;

/** The segments and texts of a shard to compact next; null if none. `idle`: nothing has come for a while. */
export function wantedCompaction(
  state: ShardState,
  segmentRows: number,
  idle: boolean,
): Pick<CompactionTask, 'segments' | 'texts' | 'idGroup'> | null {
  const policy = { segmentRows, mostRows: segmentRows * COMPACTION_SEGMENTS, idle };
  const segments = chooseSegments(state.segments, policy).map(({ id }) => id);
  const texts = state.mergeableTexts();
  const idGroup = state.ungroupedIds;
  return segments.length === 0 && texts === null && idGroup === null ? null : { segments, texts, idGroup };
}
