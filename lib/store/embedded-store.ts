/** The store on this machine: writer threads take events into shards, a pool of threads answers queries from them. */
import { AppError } from '../base/errors.ts';
import { fileSize } from '../base/files/file-size.ts';
import { threshold } from '../base/threshold.ts';
import type { Plan } from '../dsl/plan/plan.ts';
import type { ProjectRef } from '../base/project.ts';
import { extentOf, type Readable, type ShardAtRest, type Snapshot, StaleSnapshot } from '../shards/shard-reader.ts';
import { shardPath } from '../shards/file/shard-file.ts';
import type { JournalFolder } from '../shards/journal/folder.ts';
import { Compactor } from '../shards/compaction/compactor.ts';
import type { RequestContext } from '../shards/request.ts';
import { type WriterQuestion, type WriterThread, WriterClient } from '../shards/writer/writer-client.ts';
import type {
  AppendAnswer,
  AskedAppend,
  CompactionTask,
  DeviceBindings,
  WriterReply,
} from '../shards/writer-messages.ts';
import { partitionOf } from '../shards/journal/names.ts';
import { BulkLines } from './bulk-lines.ts';
import { deleteFound, findEvents } from './event-deletion.ts';
import { DiskTrouble } from './disk-trouble.ts';
import { ofInodes } from './no-inodes.ts';
import type { AppendRequest, BulkStream, Catalog, EventStore, Extent, StoreStats, UsageTotals } from './event-store.ts';
import type { PageResult, QueryOptions, QueryResult } from '../workers/query-result.ts';
import type { Erased } from '../shards/erase/erase.ts';
import { type ProjectHandle, Readings } from './readings.ts';
import { ProjectLimit } from './project-limit.ts';
import type { EngineQuery } from '../workers/ask-in-turn.ts';
import { QueryEngine } from '../workers/engine.ts';
import { Retaining } from './retaining.ts';
import { resumedExport } from './export/resumed-export.ts';
import { storeStats } from './store-stats.ts';
import { type EmbeddedStoreOptions, type StoreThreads, TROUBLES, writerOptions } from './store-threads.ts';
import { UsageReporter } from './usage-reporter.ts';
import { UserErasures } from './user-erasures.ts';

/** Tries of a query whose snapshot moved on while it ran, each with a new snapshot. */
const SNAPSHOT_TRIES = 5;

/** Up to this size a shard is read as an image (shard-image.ts): opening a larger one takes long, and the writer may have it open. */
const MOST_AT_REST = threshold('bytes of a shard at rest', 512 << 10, { least: 0 });

/** Each runs in its own thread, and its reader sets the pace. */
const EXPORTS = { what: 'exports', ofProject: 2, ofAll: 16 };

type RunOn<T> = (source: Readable, options: EngineQuery) => Promise<T>;

export class EmbeddedStore implements EventStore {
  readonly mode = 'embedded';
  readonly #options: EmbeddedStoreOptions;
  readonly #journals: JournalFolder;
  readonly #writers: readonly WriterClient[];
  readonly #engine: QueryEngine;
  readonly #compactor: Compactor;
  readonly #readings: Readings;
  /** Projects of which writers had more than their files at the start, or have got something since: 30 bytes each. */
  readonly #unsealed = new Set<string>();
  /** Deleted projects, 30 bytes each: work still running for one must not bring its files back. Ids are never reused. */
  readonly #dropped = new Set<string>();
  readonly #exports = new ProjectLimit(EXPORTS);
  readonly #erasures: UserErasures;
  readonly #retaining: Retaining;
  readonly #usage = new UsageReporter();
  readonly #trouble: DiskTrouble;
  /** Streams of lines so far. */
  #bulks = 0;
  #closed = false;
  #sealFailures = 0;

  constructor(options: EmbeddedStoreOptions, journals: JournalFolder, threads: StoreThreads) {
    this.#options = options;
    this.#journals = journals;
    const { queryBytes: cacheBytes, queryMemory: memoryBytes, queryGroups: maxGroups } = options;
    const { pool, writers } = threads.take();
    this.#engine = new QueryEngine({ ...options, cacheBytes, memoryBytes, maxGroups }, pool);
    this.#compactor = new Compactor(options.segmentRows);
    this.#trouble = new DiskTrouble(options);
    this.#readings = new Readings({
      ask: (project, message) => this.#ask(project, message),
      atRest: (project) => this.#atRest(project),
      isOver: (project) => this.#closed || this.#dropped.has(project),
      onTrouble: options.onTrouble,
    });
    this.#writers = writers.map((thread, partition) => this.#openWriter(thread, partition));
    this.#erasures = new UserErasures({ ...options, frozen: (project, use) => this.#frozen(project, use) });
    this.#retaining = new Retaining({
      ...options,
      retain: async (project) => {
        if (!this.#dropped.has(project.id)) await this.#ask(project.id, { op: 'retain', project, now: Date.now() });
      },
    });
  }

  /** Resolves when all writers and the first query thread are up: why some could not seal what an earlier run left. */
  async opened(): Promise<AppError[]> {
    const [troubles] = await Promise.all([
      Promise.all(this.#writers.map((writer) => writer.ready)),
      this.#engine.started(),
    ]);
    for (const { unsealed } of this.#writers) for (const project of unsealed) this.#unsealed.add(project);
    void this.#erasures.finish();
    void this.#retaining.run();
    return troubles.flatMap((trouble) => trouble ?? []);
  }

  append({ project, kind, context, body, encoding }: AppendRequest): Promise<AppendAnswer> {
    return this.#append({ op: 'append', project, kind, context, body: [body], encoding });
  }

  bulk(project: ProjectRef, kind: 'track' | 'identify', context: RequestContext): BulkStream {
    const stream = ++this.#bulks;
    const request = { op: 'append', project, kind: `${kind}_lines`, context, encoding: 'identity' } as const;
    return new BulkLines({
      lineLimit: this.#options.lineLimit,
      append: (body, nth) => this.#append({ ...request, body, piece: { stream, nth } }),
      hasRoom: (bytes) => this.#writer(project.id).hasRoom(project, bytes),
      ended: () => this.#writer(project.id).endStream(stream),
    });
  }

  query(project: ProjectRef, plan: Plan, options: QueryOptions): Promise<QueryResult> {
    return this.#run(project, options, (source, given) => this.#engine.query(source, plan, given));
  }

  answer(...[project, plan, { format, ...options }]: Parameters<EventStore['answer']>): Promise<PageResult> {
    return this.#run(project, options, (source, given) => this.#engine.answer(source, plan, { ...given, format }));
  }

  async #run<T>(project: ProjectRef, options: QueryOptions, run: RunOn<T>): Promise<T> {
    try {
      return await this.#runOnSnapshot(project, options, run);
    } catch (error) {
      throw this.#toldOf(error, (told) => void this.#trouble.suspect(told, project.id));
    }
  }

  /** Runs a query on a current snapshot, and again on a new one if that one can no longer be read. */
  async #runOnSnapshot<T>(project: ProjectRef, options: QueryOptions, run: RunOn<T>): Promise<T> {
    this.#checkThere(project.id);
    this.#retaining.use(project);
    for (let attempt = 1; ; attempt++) {
      const { handle, unpin, source, interruption, ...rest } = await (attempt === 1
        ? this.#readings.readFirst(project.id)
        : this.#readings.read(project.id));
      try {
        return await run(source, { ...options, ...rest, interruption, tenant: project });
      } catch (error) {
        this.#checkThere(project.id);
        const movedOn = error instanceof StaleSnapshot || (interruption.aborted && !options.signal?.aborted);
        if (!movedOn || attempt === SNAPSHOT_TRIES) throw error;
        handle.touch();
      } finally {
        unpin();
        this.#readings.purge(handle);
      }
    }
  }

  catalog(project: ProjectRef): Promise<Catalog> {
    return this.#ask<Catalog>(project.id, { op: 'catalog', project });
  }

  async extent({ id }: ProjectRef): Promise<Extent | null> {
    const current = this.#readings.current(id);
    return current ? extentOf(current.segments) : this.#ask<Extent | null>(id, { op: 'extent', project: id });
  }

  onUsage(listener: (totals: UsageTotals) => void): void {
    this.#usage.listen(listener);
  }

  async *exportUser(project: ProjectRef, userId: string): AsyncIterable<Uint8Array> {
    const leave = this.#exports.enter(project);
    try {
      yield* resumedExport(this.#readings, project, userId);
    } finally {
      leave();
    }
  }

  eraseUser(...[{ id }, userId, before]: Parameters<EventStore['eraseUser']>): Promise<Erased> {
    return this.#erasures.erase(id, userId, before);
  }

  deleteEvents(...[project, plan, options, before]: Parameters<EventStore['deleteEvents']>): Promise<number> {
    return deleteFound(
      () => this.#run(project, options, (source, given) => findEvents(this.#engine, { source, plan }, given)),
      (arrivals, atLast) => this.#erasures.eraseEvents(project.id, arrivals, atLast),
      before,
    );
  }

  /** Runs what erases from a project's file, and removes the project's records from the journal. */
  #frozen<T>(id: string, use: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    return this.#alone(id, async () => {
      const snapshot = await this.#ask<Snapshot>(id, { op: 'freeze', project: id });
      try {
        return await use(snapshot);
      } finally {
        await this.#writer(id).ask({ op: 'thaw', project: id });
        this.#journals.scrub(id);
      }
    });
  }

  replace(...[id, by]: Parameters<EventStore['replace']>): Promise<void> {
    return this.#alone(id, async () => {
      await this.#ask(id, { op: 'replace', project: id, ...by });
      this.#journals.scrub(id);
    });
  }

  /** Runs `use` while no reading thread has the project's file open, which it replaces or the writer opens anew. */
  async #alone<T>(id: string, use: () => Promise<T>): Promise<T> {
    const handle = await this.#readings.open(id);
    if (handle.closed) return this.#alone(id, use); // another call was faster
    const release = await handle.close();
    try {
      await this.#engine.forget(id);
      return await use();
    } finally {
      this.#readings.forget(id);
      release();
    }
  }

  async device(project: ProjectRef, deviceId: string): Promise<DeviceBindings | null> {
    return this.#ask<DeviceBindings | null>(project.id, { op: 'device', project, deviceId });
  }

  async unbindDevice(project: ProjectRef, deviceId: string): Promise<boolean> {
    const context = { receivedAt: Date.now(), keyKind: 'trusted', ip: null, userAgent: null, place: null } as const;
    const body = new Uint8Array(Buffer.from(deviceId));
    const undone = await this.#append({
      op: 'append',
      project,
      kind: 'unbind',
      context,
      body: [body],
      encoding: 'identity',
    });
    return undone.accepted > 0;
  }

  async drop(projectId: string): Promise<void> {
    const handle = this.#readings.handle(projectId);
    this.#dropped.add(projectId);
    this.#retaining.forget(projectId);
    await this.#writer(projectId).ask({ op: 'drop', project: projectId });
    this.#journals.scrub(projectId);
    this.#readings.forget(projectId);
    void this.#letGo(handle);
  }

  queuedBy(projectId: string): number {
    return this.#writer(projectId).queuedBy(projectId);
  }

  storedBy(projectId: string): number {
    return fileSize(shardPath(this.#options.folder, projectId));
  }

  stats(): StoreStats {
    const writers = this.#writers;
    const { damage } = this.#journals;
    return storeStats({ writers, engine: this.#engine.stats(), damage, sealFailures: this.#sealFailures });
  }

  ready(): { readonly ok: boolean; readonly reason?: string } {
    const stuck = this.#writers.some((writer) => writer.isSilent) ? 'a writer does not answer' : null;
    const reason = this.#trouble.reason ?? this.#engine.failure ?? stuck;
    return reason === null ? { ok: true } : { ok: false, reason };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#trouble.close();
    this.#retaining.close();
    await Promise.all([this.#compactor.close(), this.#erasures.close()]);
    await this.#engine.close();
    await Promise.all(this.#writers.map((writer) => writer.close()));
  }

  async #append(message: AskedAppend): Promise<AppendAnswer> {
    const { project } = message;
    this.#checkThere(project.id);
    this.#retaining.use(project);
    const handle = this.#readings.handle(project.id);
    this.#unsealed.add(project.id);
    try {
      const answer = await this.#ask<AppendAnswer>(project.id, message);
      this.#trouble.passed();
      return answer;
    } catch (error) {
      throw this.#toldOf(error, (told) => this.#trouble.failed(told, project.id));
    } finally {
      handle.touch();
    }
  }

  /** The error to answer with. @param failed Called if the disk may be the reason. */
  #toldOf(error: unknown, failed: (told: AppError) => void): unknown {
    if (!(error instanceof AppError) || error.data.code !== 'storage_unavailable') return error;
    const told = ofInodes(error, this.#options.folder);
    failed(told);
    return told;
  }

  /** Throws for a deleted project. */
  #checkThere(project: string): void {
    if (this.#dropped.has(project)) throw new AppError('not_found', 'The project was deleted.');
  }

  /** Asks the project's writer, unless the project was deleted: even a read would create its file again. */
  async #ask<T>(project: string, message: WriterQuestion): Promise<T> {
    this.#checkThere(project);
    return this.#writer(project).ask<T>(message);
  }

  /** null: the writer must be asked, or has the shard open already. */
  #atRest(project: string): ShardAtRest | null {
    if (this.#unsealed.has(project)) return null;
    const file = shardPath(this.#options.folder, project);
    const bytes = fileSize(file);
    return bytes === 0 || bytes > MOST_AT_REST.value ? null : { project, file };
  }

  /** Waits for running queries to end by themselves; then nothing keeps the removed file open. */
  async #letGo(handle: ProjectHandle): Promise<void> {
    while (handle.closed) await handle.closed;
    await handle.close();
    await this.#engine.forget(handle.project);
  }

  #writer(project: string): WriterClient {
    return this.#writers[partitionOf(project, this.#writers.length)]!;
  }

  #openWriter(thread: WriterThread, partition: number): WriterClient {
    return new WriterClient(thread, {
      ...writerOptions(this.#options, partition),
      queueBytes: this.#options.queueBytes,
      onReply: (reply) => this.#hear(reply),
      onDeath: (error) => {
        if (!this.#closed) this.#options.onFatal(error);
      },
    });
  }

  #hear(reply: WriterReply): void {
    switch (reply.op) {
      case 'changed': {
        if (this.#dropped.has(reply.snapshot.project)) break;
        const handle = this.#readings.handle(reply.snapshot.project);
        handle.update(reply.snapshot, reply.retired);
        this.#readings.purge(handle);
        break;
      }
      case 'trouble':
        if (reply.what === 'seal') this.#sealFailures++;
        this.#options.onTrouble(AppError.from(reply.error), TROUBLES[reply.what], reply.project);
        break;
      case 'compact':
        void this.#compact(reply.task);
        break;
      case 'let_go':
        if (!this.#closed) void this.#alone(reply.project, () => Promise.resolve());
        break;
      case 'usage':
        for (const day of reply.days) this.#usage.tell(day);
        break;
      default:
        throw new Error(`a writer said ${reply.op} to the store`);
    }
  }

  async #compact(task: CompactionTask): Promise<void> {
    const { project } = task;
    const { incarnation } = task.snapshot;
    if (this.#dropped.has(project)) return;
    const { unpin } = await this.#readings.pin(project);
    try {
      const compacted = await this.#compactor.compact(task);
      if (this.#closed || this.#dropped.has(project)) return;
      await this.#ask(project, { op: 'compacted', project, incarnation, ...compacted });
    } catch (error) {
      if (this.#closed || this.#dropped.has(project)) return;
      this.#options.onTrouble(error, 'segments could not be compacted', project);
      const nothing = { replaced: [], segments: [], heavy: false, failed: true, texts: null, idGroup: null } as const;
      await this.#ask(project, { op: 'compacted', project, incarnation, ...nothing }).catch((untold: unknown) => {
        this.#options.onTrouble(untold, 'a failed compaction could not be reported to the writer');
      });
    } finally {
      unpin();
      if (!this.#dropped.has(project)) this.#readings.purge(this.#readings.handle(project));
    }
  }
}
