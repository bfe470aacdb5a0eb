/** Segments that are replaced: by merges, which another thread does, and by retention. They go when no query reads them any more. */
import { monotonic } from '../monotonic.ts';
import { deleteRun, insertRun } from './deduplication.ts';
import { decodeSequence } from './encoding/sequences.ts';
import { chooseMerge, tidyOnes } from './merge-choice.ts';
import type { ProjectRef } from '../project.ts';
import { unreachable } from '../unreachable.ts';
import { TIME, USER_ID } from './segment/columns.ts';
import { decodeNarrow } from './segment/decode.ts';
import { purgeSegments, retireSegments, storeSegment } from './segment/store.ts';
import type { Connection } from './shard-file.ts';
import type { ShardSet } from './shard-set.ts';
import { bytesOf, type StoredBytes } from './stored-bytes.ts';
import type { ShardWriter } from './shard-writer.ts';
import { deleteTextRun, insertTextRun } from './text-runs.ts';
import type { MergedMessage, MergedRunsMessage, MergedTextsMessage, WriterReply } from './writer-messages.ts';

/** Rows that one merge may hold in memory, in full segments. */
const MERGE_SEGMENTS = 6;
/** Pages of a shard that are given back to the file system at once: about 40 MB, some ten milliseconds. */
const VACUUM_PAGES = 5_000;
const DAY = 86_400_000;
/** Between two tries to merge what could not be merged. Milliseconds. */
const RETRY = 60_000;

export class Compaction {
  readonly stats = { compactions: 0 };
  readonly #segmentRows: number;
  readonly #shards: ShardSet;
  readonly #post: (reply: WriterReply) => void;

  constructor(segmentRows: number, shards: ShardSet, post: (reply: WriterReply) => void) {
    this.#segmentRows = segmentRows;
    this.#shards = shards;
    this.#post = post;
  }

  /** Asks for a merge when there is one to do and none is under way. `idle`: nothing has come for a while. */
  want(shard: ShardWriter, idle: boolean): void {
    if (shard.merging || shard.mergeAfter > monotonic()) return;
    const segmentRows = this.#segmentRows;
    const policy = { segmentRows, mostRows: segmentRows * MERGE_SEGMENTS, idle };
    const segments = chooseMerge(shard.state.segments, policy).map(({ id }) => id);
    const runs = shard.state.sealedIds.mergeable();
    const texts = shard.state.mergeableTexts();
    if (segments.length === 0 && runs.length === 0 && texts === null) return;
    shard.merging = true;
    this.#post({
      op: 'merge',
      task: { project: shard.project, snapshot: this.#shards.snapshot(shard), segments, runs, texts },
    });
  }

  /** Takes what a merge has made. */
  take(message: MergedMessage | MergedRunsMessage | MergedTextsMessage): void {
    switch (message.op) {
      case 'merged':
        return this.#merged(message);
      case 'merged_runs':
        return this.#mergedRuns(message);
      case 'merged_texts':
        return this.#mergedTexts(message);
      default:
        return unreachable(message);
    }
  }

  /** Puts merged segments in the place of those they were made of. */
  #merged({ project, incarnation, replaced, segments, heavy, failed }: MergedMessage): void {
    const shard = this.#shards.get(project);
    if (shard.state.incarnation !== incarnation) return;
    shard.merging = false;
    if (failed === true) shard.mergeAfter = monotonic() + RETRY;
    if (replaced.length === 0) return;
    const { state } = shard;
    const gone = new Set(replaced);
    const left = state.segments.filter((segment) => !gone.has(segment.id));
    if (left.length + gone.size !== state.segments.length) return; // some were dropped meanwhile; the next choice knows
    const made = segments.map(({ rows, first, last }) => ({ id: 0, rows, first, last, tidy: false }));
    const tidy = tidyOnes(made, left, gone.size);
    const connection = this.#shards.connection(project);
    const entries = connection
      .transaction(() => {
        retireSegments(connection, replaced);
        return segments.map((segment, i) =>
          storeSegment(connection, segment, tidy[i]! && (heavy || segment.rows > this.#segmentRows / 2)),
        );
      })
      .immediate();
    state.segments = [...left, ...entries];
    this.stats.compactions++;
    this.#retired(shard, replaced);
    this.want(shard, false);
  }

  /** Puts a merged run of insert ids in the place of those it was made of. */
  #mergedRuns({ project, incarnation, replaced, run }: MergedRunsMessage): void {
    const { sealedIds, incarnation: now } = this.#shards.get(project).state;
    if (now !== incarnation) return;
    const connection = this.#shards.connection(project);
    const id = connection
      .transaction(() => {
        for (const old of replaced) deleteRun(connection, old);
        return run ? insertRun(connection, run) : 0;
      })
      .immediate();
    sealedIds.remove(replaced);
    if (run) sealedIds.add(id, run);
  }

  /** The same with runs of a dictionary's index. */
  #mergedTexts({ project, incarnation, field, replaced, run }: MergedTextsMessage): void {
    const { state } = this.#shards.get(project);
    if (state.incarnation !== incarnation) return;
    const connection = this.#shards.connection(project);
    const id = connection
      .transaction(() => {
        for (const old of replaced) deleteTextRun(connection, old);
        return insertTextRun(connection, field, run);
      })
      .immediate();
    const { index } = state.sharedTexts(field);
    index.remove(replaced);
    index.add({ id, field, tier: run.tier, last: run.last, keys: run.keys });
  }

  /** Removes the bytes of retired segments that no query reads any more. */
  purge(project: string, segments: readonly number[]): void {
    const shard = this.#shards.get(project);
    const connection = this.#shards.connection(project);
    connection.transaction(() => purgeSegments(connection, segments)).immediate();
    connection.pragma(`incremental_vacuum(${VACUUM_PAGES})`);
    connection.pragma('wal_checkpoint(TRUNCATE)');
    shard.retired = shard.retired.filter((id) => !segments.includes(id));
  }

  /** Drops segments whose events are all older than the project keeps, and insert ids that may come again. Returns whether segments went. */
  retain({ id, retentionDays }: ProjectRef, now: number): boolean {
    const oldest = retentionDays === null ? -Infinity : now - retentionDays * DAY;
    if (!this.#shards.has(id) && !this.#hasOlder(id, oldest)) return false; // an idle one need not be read
    const shard = this.#shards.get(id);
    const connection = this.#shards.connection(id);
    const expired = shard.state.sealedIds.expired(now);
    connection.transaction(() => expired.forEach((run) => deleteRun(connection, run))).immediate();
    shard.state.sealedIds.remove(expired);
    const old = shard.state.segments.filter((segment) => segment.last < oldest).map((segment) => segment.id);
    if (old.length === 0) return false;
    shard.rememberSeen(timesOfUsers(connection, old));
    connection.transaction(() => retireSegments(connection, old)).immediate();
    shard.state.segments = shard.state.segments.filter((segment) => !old.includes(segment.id));
    this.#retired(shard, old);
    return true;
  }

  /** Whether segments of a shard that is not known, and may not be there, are older than a time. */
  #hasOlder(project: string, oldest: number): boolean {
    return this.#shards.storedSnapshot(project)?.segments.some(({ last }) => last < oldest) ?? false;
  }

  #retired(shard: ShardWriter, segments: readonly number[]): void {
    shard.retired = [...shard.retired, ...segments];
    this.#post({ op: 'changed', snapshot: this.#shards.snapshot(shard), retired: shard.retired });
  }
}

/** The first and last time of each user in some segments. */
function timesOfUsers(
  connection: Connection,
  segments: readonly number[],
): Map<number, { first: number; last: number }> {
  const seen = new Map<number, { first: number; last: number }>();
  const column = connection.prepare<[number, number], StoredBytes>(
    'SELECT data, sum FROM columns WHERE segment = ? AND field = ?',
  );
  for (const segment of segments) {
    const users = column.get(segment, USER_ID);
    const times = column.get(segment, TIME);
    if (!users || !times) continue;
    const at = decodeSequence(bytesOf(times));
    decodeNarrow(bytesOf(users)).forEach((user, row) => {
      if (user === 0) return;
      const known = seen.get(user);
      if (known) known.last = Math.max(known.last, at[row]!);
      else seen.set(user, { first: at[row]!, last: at[row]! });
      if (known) known.first = Math.min(known.first, at[row]!);
    });
  }
  return seen;
}
