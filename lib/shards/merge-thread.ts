/** Entry of the merging thread: reads segments, puts their rows in order, and hands the bytes of larger ones back. */
import { parentPort } from 'node:worker_threads';
import { ColumnCache } from './column-cache.ts';
import { Connections } from './connections.ts';
import { encodeRun, readKeys, WINDOW } from './deduplication.ts';
import { loadSqlite } from './load-sqlite.ts';
import { mergeSegments } from './merge.ts';
import { StoredShardReader } from './reader.ts';
import { openForReading } from './shard-file.ts';
import type { MergeTask } from './writer-messages.ts';
import type { EncodedRun } from './deduplication.ts';
import { encodeTextRun, readTextKeys, textRuns, type EncodedTextRun } from './text-runs.ts';
import type { EncodedSegment } from './segment/encode.ts';

export interface MergeRequest {
  readonly id: number;
  readonly task: MergeTask;
  readonly segmentRows: number;
}

export type MergeReply =
  | {
      readonly id: number;
      readonly ok: true;
      readonly segments: readonly EncodedSegment[];
      readonly run: EncodedRun | null;
      readonly textRun: EncodedTextRun | null;
    }
  | { readonly id: number; readonly ok: false; readonly reason: string };

/** Columns of one merge; more are decoded again, which only takes time. Bytes. */
const CACHE = 512 << 20;

const port = parentPort;
if (!port) throw new Error('merging runs in a thread of the server');

loadSqlite();
const connections = new Connections(openForReading, 4);

port.postMessage(null); // loaded: from now on it may be ended

port.on('message', (request: MergeRequest) => {
  const reply = merge(request);
  port.postMessage(reply, reply.ok ? buffersOf(reply.segments) : []);
});

function merge({ id, task, segmentRows }: MergeRequest): MergeReply {
  const reader = new StoredShardReader(task.snapshot, connections, new ColumnCache(CACHE));
  try {
    const segments = task.segments.map((segment) => reader.segment(segment));
    const newest = Math.max(0, ...task.segments);
    const made = segments.length > 0 ? mergeSegments(segments, reader.fieldKeys(newest), segmentRows) : [];
    const run = task.runs.length > 0 ? mergeRuns(reader, task.runs) : null;
    return { id, ok: true, segments: made, run, textRun: task.texts && mergeTexts(reader, task.texts) };
  } catch (error) {
    return { id, ok: false, reason: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  } finally {
    reader.forget();
  }
}

function mergeRuns(reader: StoredShardReader, runs: readonly number[]): EncodedRun | null {
  const keys = reader.read((connection) => readKeys(connection, runs, Date.now() - WINDOW));
  return keys.count > 0 ? encodeRun(keys, 1) : null;
}

function mergeTexts(reader: StoredShardReader, { field, runs }: NonNullable<MergeTask['texts']>): EncodedTextRun {
  return reader.read((connection) => {
    const heads = textRuns(connection, field).filter(({ id }) => runs.includes(id));
    const tier = Math.max(...heads.map((head) => head.tier)) + 1;
    // What was erased may have been the last: what the run stands for stays.
    const last = Math.max(...heads.map((head) => head.last));
    return { ...encodeTextRun(readTextKeys(connection, runs), tier), last };
  });
}

function buffersOf(segments: readonly EncodedSegment[]): ArrayBuffer[] {
  const buffers = segments.flatMap((segment) => segment.columns.map((column) => column.data.buffer));
  return [...new Set(buffers)].filter((buffer): buffer is ArrayBuffer => buffer instanceof ArrayBuffer);
}
