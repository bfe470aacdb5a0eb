/** What a writer reports unasked: changed usage by day, and numbers for the operator. */
import { kept } from '../../base/kept.ts';
import { monotonic } from '../../base/monotonic.ts';
import type { Compaction } from './compaction.ts';
import type { Sealing } from './sealing.ts';
import type { Replayed } from '../seal/store-tasks.ts';
import type { ProjectActors } from './project-actors.ts';
import { SLICE } from './project-actor.ts';
import type { ShardFiles } from './shard-files.ts';
import type { Connection } from '../file/shard-file.ts';
import { addCounts, latestUsage, noCounts, type Counts, type DayCounts } from '../file/usage-counters.ts';
import type { UsageDay, WriterReply } from '../writer-messages.ts';

/**
 * Usage is reported within a second or two of a seal; if the disk fails, again until it works. Whatever was stored longer than
 * this before the end of a run has been reported. Milliseconds.
 */
const LATE = 600_000;
/** Anything written within this time before the start may have been written by this run, during the search. Milliseconds. */
const OWN = 1_000;

export interface UsageReportOptions {
  readonly projects: ProjectActors;
  readonly files: ShardFiles;
  readonly sealing: Sealing;
  readonly journal: { readonly diskBytes: number };
  readonly compaction: Compaction;
  readonly post: (reply: WriterReply) => void;
  /** Whether a cold project's file may not be opened now, or has not all that was acknowledged. */
  readonly mustWait: (project: string) => boolean;
}

export class UsageReport {
  readonly #options: UsageReportOptions;
  /** Finds shards whose usage an earlier run may not have reported; `#late` holds them, null until they are found. */
  readonly #looking: Generator<undefined, string[]>;
  #late: string[] | null = null;
  /** By project and day. */
  readonly #deferred = new Map<string, UsageDay>();

  constructor(options: UsageReportOptions) {
    this.#options = options;
    this.#looking = options.files.changedLast(LATE, Date.now() - OWN);
  }

  /** Reports the days of projects that changed since the last report. */
  usage(): void {
    const { projects, files, post } = this.#options;
    const days = [...this.#deferred.values()].filter(({ project }) => !projects.isLoaded(project));
    this.#deferred.clear();
    for (const { id, loaded } of projects.loaded()) {
      const { usage } = loaded.state;
      if (!usage.unreported) continue;
      const bytes = files.bytesOf(id);
      for (const { date, counts } of usage.takeUnreported()) days.push({ project: id, date, counts, bytes });
    }
    if (days.length > 0) post({ op: 'usage', days });
  }

  /**
   * Counts events that only the journal has, as if none were a repeat of an earlier request's. They are to be added to what was
   * reported of the day, until their project is replayed: then all of the day is reported.
   */
  addDeferred(project: string, date: string, counts: Counts): void {
    const day = (): UsageDay => ({ project, date, counts: noCounts(), bytes: 0, isMore: true });
    addCounts(kept(this.#deferred, `${project} ${date}`, day).counts, counts);
  }

  /** Reports all of the days of a project that another thread has replayed: what was counted of them until then is in it. */
  replayed(project: string, days: Replayed['days']): void {
    const { files, post } = this.#options;
    for (const [key, day] of this.#deferred) if (day.project === project) this.#deferred.delete(key);
    const bytes = files.bytesOf(project);
    if (days.length > 0) post({ op: 'usage', days: days.map((day) => ({ project, ...day, bytes })) });
  }

  /**
   * Reports the next project of what an earlier run may have stored but not reported before it was killed: days of shards that changed
   * shortly before its end. There may be thousands, and to open a shard takes about a millisecond, so the service is ready before, and the newest come first. Reporting a day
   * twice does no harm.
   * @returns Whether some are left.
   */
  late(): boolean {
    const { projects, files, post, mustWait } = this.#options;
    this.#late ??= this.#look();
    if (this.#late === null) return true;
    const project = this.#late.shift();
    if (project === undefined) return false;
    const bytes = files.bytesOf(project);
    if (!projects.isLoaded(project) && bytes > 0) {
      if (mustWait(project)) this.#late.push(project);
      else {
        const days = storedDays(() => files.reading(project)).map((day) => ({ project, ...day, bytes }));
        if (days.length > 0) post({ op: 'usage', days });
      }
    }
    return this.#late.length > 0;
  }

  /** Continues the search for a slice of time. */
  #look(): string[] | null {
    const until = performance.now() + SLICE.value;
    for (let step = this.#looking.next(); ; step = this.#looking.next()) {
      if (step.done === true) return step.value;
      if (performance.now() >= until) return null;
    }
  }

  stats(): void {
    const { projects, files, sealing, journal, compaction, post } = this.#options;
    let pendingRows = 0;
    let dictionaryBytes = 0;
    let since = Infinity;
    for (const { loaded } of projects.loaded()) {
      since = Math.min(since, loaded.pendingSince);
      pendingRows += loaded.pendingRows;
      dictionaryBytes += loaded.memory;
    }
    const { stats } = sealing;
    const pendingSeconds = since === Infinity ? 0 : Math.max(0, monotonic() - since) / 1_000;
    const journalBytes = journal.diskBytes;
    const openShards = files.connections.size;
    post({
      op: 'stats',
      stats: { openShards, journalBytes, pendingRows, pendingSeconds, dictionaryBytes, ...stats, ...compaction.stats },
    });
  }
}

/** The newest days of a shard; none if it cannot be read: whoever asks for it gets the error. */
function storedDays(open: () => Connection): DayCounts[] {
  try {
    return latestUsage(open());
  } catch {
    return [];
  }
}
