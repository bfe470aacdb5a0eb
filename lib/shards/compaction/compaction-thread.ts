/** Entry of the compaction thread: reads segments, sorts their rows, and returns the bytes of larger ones. */
import { parentPort } from 'node:worker_threads';
import { ColumnCache } from '../segment/column-cache.ts';
import { ConnectionPool } from '../file/connections.ts';
import { compactSegments, SEGMENT_TEXT } from './compact-segments.ts';
import { StoredShardReader } from '../read/stored-shard-reader.ts';
import { openForReading, loadSqlite } from '../file/shard-file.ts';
import { ownBuffers } from '../../base/own-buffers.ts';
import { yieldToOthers } from '../../base/thread-priority.ts';
import type { Compacted, CompactionTask, MergedTexts } from '../writer-messages.ts';
import { encodeTextRun, readTextKeys, textRuns } from '../dictionary/text-runs.ts';
import { type GroupFilter, makeGroupFilter } from '../segment/insert-ids/insert-filter.ts';
import { readInsertIds } from '../segment/insert-ids/segment-ids.ts';
import type { StoredSegment } from '../segment/stored-segment.ts';

export interface CompactionRequest {
  readonly task: CompactionTask;
  readonly segmentRows: number;
}

/** All segments that were requested were compacted, if their texts fit into memory. */
export type CompactionReply = ({ readonly ok: true } & Compacted) | { readonly ok: false; readonly reason: string };

/** Cache for what the segments have of one column; more is decoded again, which only takes time. Bytes. */
const CACHE = 8 << 20;
/** Limit of the segments' own text in one compaction. Bytes. */
const COMPACTION_TEXT = 128 << 20;

const port = parentPort;
if (!port) throw new Error('compaction runs in a thread of the server');

loadSqlite();
yieldToOthers('much'); // nobody waits for it
const connections = new ConnectionPool(openForReading, 1); // closed after each compaction

port.postMessage(null); // loaded: it may be ended from now on

port.on('message', (request: CompactionRequest | null) => {
  if (request === null) return port.close(); // ends the thread
  const reply = compact(request);
  port.postMessage(reply, reply.ok ? ownBuffers([reply.segments, reply.texts, reply.idGroup]) : []);
});

function compact({ task, segmentRows }: CompactionRequest): CompactionReply {
  const columns = new ColumnCache(CACHE);
  const reader = new StoredShardReader(task.snapshot, connections, columns);
  try {
    const { segments, bytes } = lightOnes(task.segments.map((segment) => reader.segment(segment)));
    const newest = Math.max(0, ...task.segments);
    const ids = { secret: reader.idSecret(), since: task.idsSince };
    const parts = { segmentRows, bytes, ids, forget: () => columns.forget('') };
    const made = segments.length > 0 ? compactSegments(segments, reader.fieldKeys(newest), parts) : [];
    const replaced = segments.map((segment) => segment.id);
    const heavy = bytes > (made.length * SEGMENT_TEXT) / 2;
    // If none fitted into memory, none would at once either.
    const failed = task.segments.length > 0 && replaced.length === 0;
    return {
      ...{ ok: true, replaced, segments: made, heavy, failed },
      texts: task.texts && mergeTexts(reader, task.texts),
      idGroup: task.idGroup && groupIds(reader, task.idGroup),
    };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  } finally {
    reader.forget();
  }
}

/** The first segments whose texts fit into memory together, and the bytes of these texts; none if fewer than two fit. */
function lightOnes(all: readonly StoredSegment[]): {
  readonly segments: readonly StoredSegment[];
  readonly bytes: number;
} {
  const segments: StoredSegment[] = [];
  let bytes = 0;
  for (const segment of all) {
    const own = segment.textBytes();
    if (bytes + own > COMPACTION_TEXT) continue;
    segments.push(segment);
    bytes += own;
  }
  return segments.length > 1 || all.length === 1 ? { segments, bytes } : { segments: [], bytes: 0 };
}

function groupIds(reader: StoredShardReader, segments: readonly number[]): GroupFilter {
  const columns = segments.map((segment) => reader.read((connection) => readInsertIds(connection, segment)));
  return { segments, filter: makeGroupFilter(columns, reader.idSecret()) };
}

function mergeTexts(reader: StoredShardReader, { field, runs }: NonNullable<CompactionTask['texts']>): MergedTexts {
  return reader.read((connection) => {
    const heads = textRuns(connection, field).filter(({ id }) => runs.includes(id));
    const tier = Math.max(...heads.map((head) => head.tier)) + 1;
    // The last text may have been erased: the run still covers its code.
    const last = Math.max(...heads.map((head) => head.last));
    return { field, replaced: runs, run: { ...encodeTextRun(readTextKeys(connection, runs), tier), last } };
  });
}
