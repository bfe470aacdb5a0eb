/** Entry of the compaction thread: reads segments, puts their rows in order, and hands the bytes of larger ones back. */
import { parentPort } from 'node:worker_threads';
import { ColumnCache } from '../segment/column-cache.ts';
import { Connections } from '../file/connections.ts';
import { loadSqlite } from '../file/load-sqlite.ts';
import { compactSegments, SEGMENT_TEXT } from './compact-segments.ts';
import { StoredShardReader } from '../read/stored-shard-reader.ts';
import { openForReading } from '../file/shard-file.ts';
import { yieldToOthers } from '../../base/thread-priority.ts';
import type { CompactionTask } from '../writer-messages.ts';
import { encodeTextRun, readTextKeys, textRuns, type EncodedTextRun } from '../dictionary/text-runs.ts';
import type { StoredSegment } from '../segment/stored-segment.ts';
import type { EncodedSegment } from '../segment/encode.ts';

export interface CompactionRequest {
  readonly id: number;
  readonly task: CompactionTask;
  readonly segmentRows: number;
}

export type CompactionReply =
  | {
      readonly id: number;
      readonly ok: true;
      /** Of those that were to be compacted, the ones that were: all where their texts fit into memory. */
      readonly replaced: readonly number[];
      readonly segments: readonly EncodedSegment[];
      /** They are full of text, if not of rows. */
      readonly heavy: boolean;
      readonly textRun: EncodedTextRun | null;
    }
  | { readonly id: number; readonly ok: false; readonly reason: string };

/** Columns of one compaction; more are decoded again, which only takes time: most are read once or twice. Bytes. */
const CACHE = 32 << 20;
/** Text that segments carry themselves and that one compaction may hold. Bytes. */
const COMPACTION_TEXT = 128 << 20;

const port = parentPort;
if (!port) throw new Error('compaction runs in a thread of the server');

loadSqlite();
yieldToOthers(); // nobody waits for it
const connections = new Connections(openForReading, 4);

port.postMessage(null); // loaded: from now on it may be ended

port.on('message', (request: CompactionRequest | null) => {
  if (request === null) return rest();
  const reply = compact(request);
  port.postMessage(reply, reply.ok ? buffersOf(reply.segments) : []);
});

/** Ends the thread. */
function rest(): void {
  connections.closeAll();
  port!.close();
}

function compact({ id, task, segmentRows }: CompactionRequest): CompactionReply {
  const reader = new StoredShardReader(task.snapshot, connections, new ColumnCache(CACHE));
  try {
    const { segments, bytes } = lightOnes(task.segments.map((segment) => reader.segment(segment)));
    const newest = Math.max(0, ...task.segments);
    const ids = { secret: reader.idSecret(), since: task.idsSince };
    const made =
      segments.length > 0 ? compactSegments(segments, reader.fieldKeys(newest), { segmentRows, bytes, ids }) : [];
    const replaced = segments.map((segment) => segment.id);
    const heavy = bytes > (made.length * SEGMENT_TEXT) / 2;
    return {
      id,
      ok: true,
      replaced,
      segments: made,
      heavy,
      textRun: task.texts && mergeTexts(reader, task.texts),
    };
  } catch (error) {
    return { id, ok: false, reason: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  } finally {
    reader.forget();
  }
}

/** The first of the segments whose texts fit into memory together, and these texts' bytes; none when they are fewer than two. */
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

function mergeTexts(reader: StoredShardReader, { field, runs }: NonNullable<CompactionTask['texts']>): EncodedTextRun {
  return reader.read((connection) => {
    const heads = textRuns(connection, field).filter(({ id }) => runs.includes(id));
    const tier = Math.max(...heads.map((head) => head.tier)) + 1;
    // What was erased may have been the last: what the run stands for stays.
    const last = Math.max(...heads.map((head) => head.last));
    return { ...encodeTextRun(readTextKeys(connection, runs), tier), last };
  });
}

function buffersOf(segments: readonly EncodedSegment[]): ArrayBuffer[] {
  const buffers = segments.flatMap(({ types, columns }) => [types.buffer, ...columns.map(({ data }) => data.buffer)]);
  return [...new Set(buffers)].filter((buffer): buffer is ArrayBuffer => buffer instanceof ArrayBuffer);
}
