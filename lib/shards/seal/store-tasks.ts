/**
 * Long writes to a shard file or journal, done by the store thread so that the writer can continue with other projects. A task
 * finds all it needs in the file and in itself.
 */
import { unreachable } from '../../base/unreachable.ts';
import { bindingsOfDevice, type DeviceBinding } from '../file/bindings.ts';
import { readCatalog, type CatalogRest } from '../read/catalog.ts';
import type { ShardCatalog } from '../shard-reader.ts';
import { readJsonSource, type JsonSource, type ReadResults } from '../ingest/normalise/read-json-body.ts';
import { indexShard } from './index-shard.ts';
import type { WriterPartition } from '../journal/names.ts';
import { rewriteJournal } from '../journal/rewrite.ts';
import { rememberTimes } from '../file/profile-table.ts';
import type { DayCounts } from '../file/usage-counters.ts';
import type { Place } from '../journal/entry.ts';
import type { RecordHead } from '../journal/record-head.ts';
import { storeBatch, type SealBatch, type Sealed } from './seal-batch.ts';
import type { EncodedSegment } from '../segment/encode.ts';
import { findIds, type IdSource, type Look } from '../segment/insert-ids/segment-ids.ts';
import { forgetIds, purgeSegments, retireSegments, storedColumn, storeSegment } from '../segment/store.ts';
import { closedAfterUse, guarded, openForWriting, type Connection } from '../file/shard-file.ts';
import { readSegments, writeMeta, type SegmentEntry } from '../segment/shard-meta.ts';
import type { MergedTexts } from '../writer-messages.ts';
import { deleteTextRun, insertTextRun, textRuns, type TextRunHead } from '../dictionary/text-runs.ts';
import type { Secret } from '../hashing/text-hash.ts';
import { decodeSequence } from '../segment/encoding/sequences.ts';
import { checkedBytes, type StoredBytes } from '../file/stored-bytes.ts';
import { COLUMN } from '../segment/columns.ts';
import { decodeNarrow } from '../segment/decode.ts';
import { storedTriples } from '../segment/triples.ts';

/** Pages of a shard returned to the file system at a time: about 40 MB. */
const VACUUM_PAGES = 10_000;

type ShardTask =
  | { readonly op: 'seal'; readonly batch: SealBatch }
  /** Replaces segments by compacted ones, and runs of a dictionary's index by the one merged of them. `tidy`: one per new segment. */
  | {
      readonly op: 'compacted';
      readonly replaced: readonly number[];
      readonly segments: readonly EncodedSegment[];
      readonly tidy: readonly boolean[];
      readonly texts: MergedTexts | null;
    }
  /** Removes the bytes of retired segments. */
  | { readonly op: 'purge'; readonly segments: readonly number[] }
  | { readonly op: 'catalog'; readonly rest: CatalogRest }
  | { readonly op: 'bindings'; readonly device: number }
  /** Looks up what a segment has of some insert ids. */
  | {
      readonly op: 'insert_ids';
      readonly source: IdSource;
      readonly look: Look;
      readonly secret: Secret;
    }
  /** Checkpoints the file's log, so that whoever closes the file last has nothing left to write. */
  | { readonly op: 'checkpoint' }
  | { readonly op: 'index' }
  /**
   * Removes expired segments, keeping what they say about users in profiles, whose version becomes `profileVersion`. Also removes
   * filters of insert ids.
   */
  | {
      readonly op: 'retire';
      readonly segments: readonly number[];
      readonly filters: readonly number[];
      readonly profileVersion: number;
    };

/** Removes a project's records from the closed files of a journal's partition, those numbered below `number`. */
interface ScrubTask {
  readonly op: 'scrub';
  readonly folder: string;
  readonly partition: WriterPartition;
  readonly number: number;
  readonly project: string;
}

/** Reads a project's records in the journal into its shard, which is not loaded, and seals them. */
interface ReplayTask {
  readonly op: 'replay';
  readonly project: string;
  /** The journal, and where in it the records are, in order of arrival. */
  readonly folder: string;
  readonly places: readonly Place[];
}

export interface Replayed {
  /** The counters of changed days. */
  readonly days: readonly DayCounts[];
  /** Whether its segments are to be compacted. */
  readonly isCompactable: boolean;
}

/** Reads JSON that is large. */
interface ReadJsonTask {
  readonly op: 'read_json';
  readonly source: JsonSource;
}

/** What needs nothing but files and itself. */
export type FileTask = ShardTask | ScrubTask | ReadJsonTask;
export type StoreTask = FileTask | ReplayTask;

export interface Replaced {
  /** The segments that queries see from now on. */
  readonly segments: readonly SegmentEntry[];
  /** The new ones of them; null: the shard does not have the old ones any more, and nothing has changed. */
  readonly made: readonly SegmentEntry[] | null;
  /** The new run of an index; null: there is none, or the shard does not have the old ones any more. */
  readonly textRun: TextRunHead | null;
}

export interface StoreResults {
  readonly seal: Sealed;
  readonly compacted: Replaced;
  readonly purge: null;
  /** The segments that are left. */
  readonly retire: readonly SegmentEntry[];
  readonly catalog: ShardCatalog;
  readonly index: null;
  readonly checkpoint: null;
  readonly bindings: readonly DeviceBinding[];
  readonly insert_ids: readonly number[];
  readonly scrub: null;
  readonly read_json: ReadResults[JsonSource['kind']];
  readonly replay: Replayed;
}

export type TaskOf<Op extends StoreTask['op']> = Extract<StoreTask, { readonly op: Op }>;

/**
 * Runs a task. If it throws, the shard is unchanged or, if part of its texts was indexed, equivalent, as far as anybody can tell:
 * where a disk fails to sync a log, what the task has done may be there once the log is read again. So tasks are such that they can
 * follow each other, and say what is there.
 */
export function runStoreTask(file: string, task: FileTask): StoreResults[FileTask['op']] {
  if (task.op === 'scrub') {
    rewriteJournal<RecordHead>(task.folder, task, ({ project }) => project.id === task.project);
    return null;
  }
  if (task.op === 'read_json') return readJsonSource(task.source);
  return guarded(file, () => inShard(file, task));
}

/** Closes the connection afterwards, so that nobody has the file open when it is replaced or removed. */
function inShard(file: string, task: ShardTask): StoreResults[FileTask['op']] {
  using shard = closedAfterUse(openForWriting(file));
  return withShard(shard.connection, task);
}

function withShard(connection: Connection, task: ShardTask): StoreResults[FileTask['op']] {
  switch (task.op) {
    case 'seal':
      return storeBatch(connection, task.batch);
    case 'compacted':
      return inTransaction(connection, () => {
        const made = hasAll(readSegments(connection), task.replaced) ? replaceSegments(connection, task) : null;
        return { segments: readSegments(connection), made, textRun: task.texts && replaceRuns(connection, task.texts) };
      });
    case 'purge':
      inTransaction(connection, () => purgeSegments(connection, task.segments));
      connection.pragma(`incremental_vacuum(${VACUUM_PAGES})`);
      connection.pragma('wal_checkpoint(TRUNCATE)');
      return null;
    case 'catalog':
      return readCatalog(connection, task.rest);
    case 'bindings':
      return bindingsOfDevice(connection, task.device);
    case 'insert_ids':
      return findIds(connection, task.source, task);
    case 'index':
      indexShard(connection);
      return null;
    case 'checkpoint':
      connection.pragma('wal_checkpoint(PASSIVE)');
      return null;
    case 'retire':
      return inTransaction(connection, () => {
        rememberTimes(connection, timesOfUsers(connection, task.segments));
        writeMeta(connection, { profile_version: task.profileVersion });
        retireSegments(connection, task.segments);
        forgetIds(connection, task.filters);
        return readSegments(connection);
      });
    default:
      return unreachable(task);
  }
}

const hasAll = (those: readonly { readonly id: number }[], ids: readonly number[]): boolean =>
  ids.every((id) => those.some((one) => one.id === id));

function replaceSegments(connection: Connection, task: TaskOf<'compacted'>): SegmentEntry[] {
  retireSegments(connection, task.replaced);
  return task.segments.map((segment, i) => storeSegment(connection, segment, task.tidy[i]!));
}

function replaceRuns(connection: Connection, { field, replaced, run }: MergedTexts): TextRunHead | null {
  if (!hasAll(textRuns(connection, field), replaced)) return null;
  for (const old of replaced) deleteTextRun(connection, old);
  const { tier, last, keys } = run;
  return { id: insertTextRun(connection, field, run), field, tier, last, keys };
}

const inTransaction = <T>(connection: Connection, run: () => T): T => connection.transaction(run).immediate();

/** The first and last time of each user in the given segments. */
function timesOfUsers(
  connection: Connection,
  segments: readonly number[],
): Map<number, { first: number; last: number }> {
  const seen = new Map<number, { first: number; last: number }>();
  for (const segment of segments) {
    const column = (field: number): StoredBytes | undefined => storedColumn(connection, segment, field);
    const [users, times] = [column(COLUMN.userId), column(COLUMN.time)];
    if (!users || !times) continue;
    const at = decodeSequence(checkedBytes(times));
    decodeNarrow(checkedBytes(users), () => storedTriples(column(COLUMN.triples))).forEach((user, row) => {
      if (user === 0) return;
      const time = at[row]!;
      let known = seen.get(user);
      if (!known) seen.set(user, (known = { first: time, last: time }));
      known.first = Math.min(known.first, time);
      known.last = Math.max(known.last, time);
    });
  }
  return seen;
}
