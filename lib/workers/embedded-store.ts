/** The store on this machine: writer threads take events into shards, a pool of threads answers queries from them. */
import fs from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { AppError } from '../errors.ts';
import type { Plan } from '../dsl/plan.ts';
import type { ProjectRef } from '../project.ts';
import { StaleSnapshot, type Snapshot } from '../shards/column.ts';
import { journalFiles } from '../shards/journal.ts';
import { Merger } from '../shards/merger.ts';
import type { RequestContext } from '../shards/request.ts';
import { WriterClient } from '../shards/writer-client.ts';
import type { AppendAnswer, AppendMessage, MergeTask, WriterOptions, WriterReply } from '../shards/writer-messages.ts';
import { laneOf } from '../shards/lane.ts';
import { BulkLines } from './bulk-lines.ts';
import type {
  AppendRequest,
  AppendResult,
  BulkStream,
  Catalog,
  EventStore,
  QueryOptions,
  QueryResult,
  StoreStats,
  UsageTotals,
} from './event-store.ts';
import type { Erased } from '../shards/erase.ts';
import type { ExportTask } from './export-thread.ts';
import { ProjectHandle } from './project-handle.ts';
import { QueryEngine } from './query-engine.ts';

export interface EmbeddedStoreOptions extends Omit<WriterOptions, 'lane' | 'lanes'> {
  readonly writers: number;
  /** Bytes of bodies that wait for one writer. */
  readonly queueBytes: number;
  /** Threads that answer queries. */
  readonly threads: number;
  /** Bytes of decoded columns, of all threads together. */
  readonly cacheBytes: number;
  /** Bytes that one query may hold. */
  readonly queryMemory: number;
  /** Groups that one query may hold. */
  readonly queryGroups: number;
  /** A background task failed (a merge); nothing is lost, it is tried again. */
  readonly onTrouble: (error: unknown, what: string) => void;
  /** A writer died: nothing can be taken any more, the process should end and be started again. */
  readonly onFatal: (error: Error) => void;
}

/** A snapshot that moved on while a query ran is taken anew so often. */
const SNAPSHOT_TRIES = 5;
/** How often what is older than projects keep is dropped. Milliseconds. */
const RETAIN_EVERY = 3_600_000;

/** Opens the shards and the journal of a data folder. Resolves when what an earlier run acknowledged is there again. */
export async function openEmbeddedStore(options: EmbeddedStoreOptions): Promise<EventStore> {
  const folder = path.join(options.folder, 'journal');
  fs.mkdirSync(folder, { recursive: true });
  // Of a run with another number of writers: files of this many are the writers' own affair.
  const foreign = journalFiles(folder).filter((file) => file.lanes !== options.writers);
  const store = new EmbeddedStore(options);
  const troubles = await store.opened();
  if (troubles.length === 0) for (const { name } of foreign) fs.rmSync(path.join(folder, name), { force: true });
  for (const trouble of troubles) options.onTrouble(trouble, 'events of an earlier run could not be taken up yet');
  return store;
}

class EmbeddedStore implements EventStore {
  readonly #options: EmbeddedStoreOptions;
  readonly #writers: readonly WriterClient[];
  readonly #engine: QueryEngine;
  readonly #merger: Merger;
  readonly #handles = new Map<string, ProjectHandle>();
  readonly #projects = new Map<string, ProjectRef>();
  readonly #retaining: NodeJS.Timeout;
  #listener: ((totals: UsageTotals) => void) | null = null;
  /** Usage that was told before anybody listened. */
  readonly #unheard: UsageTotals[] = [];
  #trouble: AppError | null = null;
  #closed = false;

  constructor(options: EmbeddedStoreOptions) {
    this.#options = options;
    const { writers, threads, cacheBytes, queryMemory, queryGroups } = options;
    this.#engine = new QueryEngine({ threads, cacheBytes, memoryBytes: queryMemory, maxGroups: queryGroups });
    this.#merger = new Merger(options.segmentRows);
    this.#writers = Array.from({ length: writers }, (_, lane) => this.#startWriter(lane));
    this.#retaining = setInterval(() => this.#retain(), RETAIN_EVERY);
    this.#retaining.unref();
  }

  /** Why some writers could not seal what an earlier run left. */
  async opened(): Promise<AppError[]> {
    const troubles = await Promise.all(this.#writers.map((writer) => writer.ready));
    return troubles.flatMap((trouble) => trouble ?? []);
  }

  async append({ project, kind, context, body, encoding }: AppendRequest): Promise<AppendResult> {
    try {
      const answer = await this.#append({ op: 'append', project, kind, context, body, encoding });
      return { ok: true, ...answer };
    } catch (error) {
      if (error instanceof AppError) return { ok: false, error: error.data };
      throw error;
    }
  }

  bulk(project: ProjectRef, kind: 'track' | 'identify', context: RequestContext): BulkStream {
    return new BulkLines({
      lineLimit: this.#options.lineLimit,
      append: (body) =>
        this.#append({ op: 'append', project, kind: `${kind}_lines`, context, body, encoding: 'identity' }),
    });
  }

  async query(project: ProjectRef, plan: Plan, options: QueryOptions): Promise<QueryResult> {
    this.#projects.set(project.id, project);
    for (let attempt = 1; ; attempt++) {
      const handle = await this.#open(project.id);
      const snapshot = await this.#snapshot(handle);
      const unpin = handle.pin();
      try {
        return await this.#engine.query(snapshot, plan, options);
      } catch (error) {
        if (!(error instanceof StaleSnapshot) || attempt === SNAPSHOT_TRIES) throw error;
        handle.touch();
      } finally {
        unpin();
        this.#purge(handle);
      }
    }
  }

  catalog(project: ProjectRef): Promise<Catalog> {
    return this.#writer(project.id).ask<Catalog>({ op: 'catalog', project: project.id });
  }

  onUsage(listener: (totals: UsageTotals) => void): void {
    this.#listener = listener;
    for (const totals of this.#unheard.splice(0)) listener(totals);
  }

  async *exportUser({ id }: ProjectRef, userId: string): AsyncIterable<Uint8Array> {
    const handle = await this.#open(id);
    const snapshot = await this.#snapshot(handle);
    const unpin = handle.pin();
    const workerData: ExportTask = { snapshot, userId };
    const worker = new Worker(new URL('./export-thread.js', import.meta.url), { workerData });
    try {
      for (let piece = await nextPiece(worker); piece !== null; piece = await nextPiece(worker))
        yield Buffer.from(piece);
    } finally {
      await worker.terminate();
      unpin();
      this.#purge(handle);
    }
  }

  async eraseUser({ id }: ProjectRef, userId: string): Promise<Erased> {
    const handle = await this.#open(id);
    const release = await handle.close();
    try {
      return await this.#writer(id).ask<Erased>({ op: 'erase', project: id, userId });
    } finally {
      this.#engine.forget(id);
      this.#handles.delete(id);
      release();
    }
  }

  async drop(projectId: string): Promise<void> {
    this.#handles.delete(projectId);
    this.#projects.delete(projectId);
    this.#engine.forget(projectId);
    await this.#writer(projectId).ask({ op: 'drop', project: projectId });
    this.#handles.delete(projectId);
  }

  stats(): StoreStats {
    const sum = (of: (writer: WriterClient) => number): number =>
      this.#writers.reduce((total, writer) => total + of(writer), 0);
    const { cacheBytes, workerRestarts } = this.#engine.stats();
    return {
      openShards: sum((writer) => writer.stats.openShards),
      journalBytes: sum((writer) => writer.stats.journalBytes),
      pendingRows: sum((writer) => writer.stats.pendingRows),
      queuedBytes: sum((writer) => writer.queuedBytes),
      seals: sum((writer) => writer.stats.seals),
      sealSeconds: sum((writer) => writer.stats.sealSeconds),
      compactions: sum((writer) => writer.stats.compactions),
      cacheBytes,
      workerRestarts,
    };
  }

  ready(): { readonly ok: boolean; readonly reason?: string } {
    return this.#trouble ? { ok: false, reason: this.#trouble.message } : { ok: true };
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#retaining);
    await this.#merger.close();
    await this.#engine.close();
    await Promise.all(this.#writers.map((writer) => writer.close()));
  }

  async #append(message: Omit<AppendMessage, 'id'>): Promise<AppendAnswer> {
    const { project } = message;
    this.#projects.set(project.id, project);
    const handle = this.#handle(project.id);
    try {
      const answer = await this.#writer(project.id).ask<AppendAnswer>(message);
      this.#trouble = null;
      return answer;
    } catch (error) {
      if (error instanceof AppError && error.data.code === 'storage_unavailable') this.#trouble = error;
      throw error;
    } finally {
      handle.touch();
    }
  }

  /** What was acknowledged before the call is in it. */
  async #snapshot(handle: ProjectHandle): Promise<Snapshot> {
    if (handle.current) return handle.current;
    const { acknowledged } = handle;
    const { snapshot, retired } = await this.#writer(handle.project).ask<{
      snapshot: Snapshot;
      retired: readonly number[];
    }>({
      op: 'snapshot',
      project: handle.project,
    });
    handle.update(snapshot, retired);
    handle.cover(acknowledged);
    return snapshot;
  }

  /** The handle, once an erasure that runs is over. */
  async #open(project: string): Promise<ProjectHandle> {
    let handle = this.#handle(project);
    while (handle.closed) {
      await handle.closed;
      handle = this.#handle(project);
    }
    return handle;
  }

  #handle(project: string): ProjectHandle {
    let handle = this.#handles.get(project);
    if (!handle) this.#handles.set(project, (handle = new ProjectHandle(project)));
    return handle;
  }

  #purge(handle: ProjectHandle): void {
    const segments = handle.takeUnread();
    if (segments.length === 0 || this.#closed) return;
    this.#writer(handle.project)
      .ask({ op: 'purge', project: handle.project, segments })
      .then(
        () => handle.purged(segments),
        (error: unknown) => this.#options.onTrouble(error, 'replaced segments could not be removed'),
      );
  }

  #writer(project: string): WriterClient {
    return this.#writers[laneOf(project, this.#writers.length)]!;
  }

  #startWriter(lane: number): WriterClient {
    const { folder, writers, bodyLimit, batchLimit, lineLimit, openShards, knownShards, sealRows, sealBytes, sealAge } =
      this.#options;
    const { pendingBytes, segmentRows, geoipFile, queueBytes, onFatal } = this.#options;
    return new WriterClient({
      ...{
        folder,
        lane,
        lanes: writers,
        bodyLimit,
        batchLimit,
        lineLimit,
        openShards,
        knownShards,
        sealRows,
        sealBytes,
        sealAge,
      },
      ...{ pendingBytes, segmentRows, geoipFile, queueBytes },
      onReply: (reply) => this.#hear(reply),
      onDeath: (error) => {
        if (!this.#closed) onFatal(error);
      },
    });
  }

  #hear(reply: WriterReply): void {
    switch (reply.op) {
      case 'changed': {
        const handle = this.#handle(reply.snapshot.project);
        handle.update(reply.snapshot, reply.retired);
        this.#purge(handle);
        break;
      }
      case 'merge':
        void this.#merge(reply.task);
        break;
      case 'usage':
        for (const { project, date, counts, bytes } of reply.days) {
          this.#tellUsage({
            ...{
              project,
              date,
              eventsIngested: counts.ingested,
              eventsStored: counts.stored,
              eventsRejected: counts.rejected,
            },
            ...{ eventsDuplicate: counts.duplicate, eventsDropped: counts.dropped, valuesTrimmed: counts.trimmed },
            ...{ idsIgnored: counts.idsIgnored, bytesStored: bytes },
          });
        }
        break;
      default:
        throw new Error(`a writer said ${reply.op} to the store`);
    }
  }

  #tellUsage(totals: UsageTotals): void {
    if (this.#listener) this.#listener(totals);
    else this.#unheard.push(totals);
  }

  async #merge(task: MergeTask): Promise<void> {
    const { project } = task;
    const unpin = this.#handle(project).pin();
    const writer = this.#writer(project);
    try {
      const { segments, run } = await this.#merger.merge(task);
      if (this.#closed) return;
      if (task.runs.length > 0) await writer.ask({ op: 'merged_runs', project, replaced: task.runs, run });
      await writer.ask({ op: 'merged', project, replaced: task.segments, segments });
    } catch (error) {
      if (this.#closed) return;
      this.#options.onTrouble(error, 'segments could not be merged');
      await writer.ask({ op: 'merged', project, replaced: [], segments: [] });
    } finally {
      unpin();
      this.#purge(this.#handle(project));
    }
  }

  #retain(): void {
    for (const project of this.#projects.values()) {
      this.#writer(project.id)
        .ask({ op: 'retain', project, now: Date.now() })
        .catch((error: unknown) => this.#options.onTrouble(error, 'events that are too old could not be dropped'));
    }
  }
}

/** The next piece of an export, null at its end. */
function nextPiece(worker: Worker): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const settle = (use: () => void): void => {
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      use();
    };
    const onMessage = (piece: string | null): void => settle(() => resolve(piece));
    const onError = (error: Error): void => settle(() => reject(error));
    const onExit = (): void => settle(() => reject(new Error('the export ended too early')));
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    worker.postMessage('next');
  });
}
