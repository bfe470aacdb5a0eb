/** Segments replaced by compactions (in another thread) or removed by retention, deleted once no query reads them. */
import { DAY_MS } from '../../base/day.ts';
import { monotonic } from '../../base/monotonic.ts';
import type { ProjectRef } from '../../base/project.ts';
import type { SegmentEntry } from '../segment/shard-meta.ts';
import { unreachable } from '../../base/unreachable.ts';
import type { Away, Told } from './away.ts';
import { tidyOnes, chooseSegments } from '../compaction/choose-segments.ts';
import type { ShardSet } from './shard-set.ts';
import type { ShardWriter } from './shard-writer.ts';
import { expiredIds, sinceOf } from '../ingest/sealed-ids.ts';
import type { CompactedMessage, MergedTextsMessage, WriterReply, CompactionTask } from '../writer-messages.ts';
import type { ShardState } from '../ingest/shard-state.ts';

/** Pause after a failed compaction. Milliseconds. */
const RETRY = 60_000;

export interface CompactionOptions {
  readonly segmentRows: number;
  readonly shards: ShardSet;
  readonly away: Away;
  readonly post: (reply: WriterReply) => void;
}

export class Compaction {
  readonly stats = { compactions: 0 };
  readonly #options: CompactionOptions;

  constructor(options: CompactionOptions) {
    this.#options = options;
  }

  /** Requests a compaction if there is one to do and none is running: returns whether. `idle`: nothing has come for a while. */
  want(shard: ShardWriter, idle: boolean): boolean {
    if (shard.compacting || shard.compactAfter > monotonic()) return false;
    const wanted = wantedCompaction(shard.state, this.#options.segmentRows, idle);
    if (wanted === null) return false;
    shard.compacting = true;
    this.#options.post({
      op: 'compact',
      task: {
        project: shard.project,
        snapshot: this.#options.shards.snapshot(shard),
        idsSince: sinceOf(shard.state.segments, Date.now()),
        ...wanted,
      },
    });
    return true;
  }

  /** Stores the result of a compaction, then calls `told`, with an error if it cannot be stored. */
  take(message: CompactedMessage | MergedTextsMessage, told: Told): void {
    const shard = this.#options.shards.get(message.project);
    if (shard.state.incarnation !== message.incarnation) return told(null);
    switch (message.op) {
      case 'compacted':
        return this.#compacted(shard, message, told);
      case 'merged_texts':
        return this.#mergedTexts(shard, message, told);
      default:
        return unreachable(message);
    }
  }

  /** Replaces segments by the compacted ones made of them. */
  #compacted(shard: ShardWriter, { replaced, segments, heavy, failed = false }: CompactedMessage, told: Told): void {
    shard.compacting = false;
    if (failed) shard.compactAfter = monotonic() + RETRY;
    if (replaced.length === 0) return told(null);
    const gone = new Set(replaced);
    const isGone = ({ id }: SegmentEntry): boolean => gone.has(id);
    const left = shard.state.segments.filter((segment) => !isGone(segment));
    if (left.length + gone.size !== shard.state.segments.length) return told(null); // some were dropped meanwhile; the next choice will see that
    const made = segments.map(({ rows, first, last, ids }) => ({ id: 0, rows, first, last, tidy: false, ids }));
    const tidy = tidyOnes(made, left, gone.size).map(
      (one, i) => one && (heavy || segments[i]!.rows > this.#options.segmentRows / 2),
    );
    this.#options.away.run<'compacted'>(
      shard,
      { op: 'compacted', replaced, segments, tidy },
      {
        done: ({ segments: there, made: entries }) => {
          if (entries !== null) {
            shard.state.sieves.compacted(shard.state.segments.filter(isGone), entries);
            this.stats.compactions++;
          }
          this.#take(shard, there);
          this.want(shard, false);
          told(null);
        },
        failed: told,
      },
    );
  }

  /** Replaces runs of a dictionary's index by the one merged from them. */
  #mergedTexts(shard: ShardWriter, { field, replaced, run }: MergedTextsMessage, told: Told): void {
    const { index } = shard.state.sharedTexts(field);
    this.#options.away.run<'merged_texts'>(
      shard,
      { op: 'merged_texts', field, replaced, run },
      {
        done: (id) => {
          if (id === null) index.outdate();
          else {
            index.remove(replaced);
            index.add({ id, field, tier: run.tier, last: run.last, keys: run.keys });
          }
          told(null);
        },
        failed: (error) => {
          index.outdate(); // the disk may have taken it all the same
          told(error);
        },
      },
    );
  }

  /** Removes the bytes of retired segments that no query reads any longer. */
  purge(project: string, segments: readonly number[], told: Told): void {
    const shard = this.#options.shards.get(project);
    this.#options.away.run<'purge'>(
      shard,
      { op: 'purge', segments },
      {
        done: () => {
          shard.retired = shard.retired.filter((id) => !segments.includes(id));
          told(null);
        },
        failed: told,
      },
    );
  }

  /** Drops segments whose events have all expired, and expired insert ids. Everything read must be sealed. */
  retain({ id, retentionDays }: ProjectRef, now: number, told: Told): void {
    const oldest = oldestOf(retentionDays, now);
    if (!this.reads({ id, retentionDays }, now)) return told(null);
    const shard = this.#options.shards.get(id);
    const { state } = shard;
    const segments = state.segments.filter(({ last }) => last < oldest).map((segment) => segment.id);
    const filters = expiredIds(state.segments, now);
    if (filters.length + segments.length === 0) return told(null);
    const profileVersion = state.profileVersion + (segments.length > 0 ? 1 : 0);
    this.#options.away.run<'retire'>(
      shard,
      { op: 'retire', segments, filters, profileVersion },
      {
        done: (left) => {
          state.profileVersion = profileVersion;
          this.#take(shard, left);
          told(null);
        },
        failed: told,
      },
    );
  }

  /** Whether `retain` would read the shard; it need not if the shard is idle and has no expired segments. */
  reads({ id, retentionDays }: Pick<ProjectRef, 'id' | 'retentionDays'>, now: number): boolean {
    return this.#options.shards.has(id) || this.#hasOlder(id, oldestOf(retentionDays, now));
  }

  /** Whether a project has expired segments, so that it must be sealed first: pending rows may change the same profiles. */
  expires({ id, retentionDays }: ProjectRef, now: number): boolean {
    const oldest = oldestOf(retentionDays, now);
    return this.#options.shards.peek(id)?.state.segments.some(({ last }) => last < oldest) ?? false;
  }

  /** Whether a shard that is not loaded, and may not exist, has segments from before a time. */
  #hasOlder(project: string, oldest: number): boolean {
    if (oldest === -Infinity) return false;
    return this.#options.shards.storedSnapshot(project)?.segments.some(({ last }) => last < oldest) ?? false;
  }

  /** Takes over the segments that the file has now. Those of a seal that is to be tried again may be among them. */
  #take(shard: ShardWriter, there: readonly SegmentEntry[]): void {
    const gone = shard.state.segments.filter(({ id }) => !there.some((one) => one.id === id));
    shard.state.segments = there;
    if (gone.length === 0) return;
    shard.retired = [...shard.retired, ...gone.map(({ id }) => id)];
    this.#options.post({ op: 'changed', snapshot: this.#options.shards.snapshot(shard), retired: shard.retired });
  }
}

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
): Pick<CompactionTask, 'segments' | 'texts'> | null {
  const policy = { segmentRows, mostRows: segmentRows * COMPACTION_SEGMENTS, idle };
  const segments = chooseSegments(state.segments, policy).map(({ id }) => id);
  const texts = state.mergeableTexts();
  return segments.length === 0 && texts === null ? null : { segments, texts };
}
