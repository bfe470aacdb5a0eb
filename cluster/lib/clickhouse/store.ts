/** The store on ClickHouse: bodies in, rows into its tables; plans are lowered to SQL. Has no state but what is on its way. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type AppendAnswer,
  type AppendRequest,
  AppError,
  askedMetrics,
  BulkLines,
  type BulkStream,
  type Catalog,
  type ClusterStoreOptions,
  dateOf,
  type DeviceBindings,
  deviceBindings,
  type Erased,
  type EventStore,
  type Extent,
  formatPage,
  joinedParts,
  Ledger,
  noCounts,
  type PageResult,
  type Plan,
  planUses,
  ProjectLimit,
  type ProjectRef,
  type QueryOptions,
  type QueryResult,
  type RequestContext,
  type StoreStats,
  tooMuchWaiting,
  type UsageTotals,
} from '../../../lib/seam.ts';
import { ClickHouse } from './client.ts';
import { HotKeys } from './ingest/hot-keys.ts';
import { NO_SLOTS } from './hot/slots.ts';
import { BodyReaders } from './ingest/body-readers.ts';
import { LockInProcess, SharedLock, type ProjectLock } from './ingest/project-lock.ts';
import type { ParsedRequest, RawRequest } from './ingest/parse-request.ts';
import { ProjectQueues } from './ingest/project-queues.ts';
import { PastIds } from './past-ids.ts';
import { readBindings } from './ingest/stored.ts';
import { Retention } from './retention.ts';
import { ServerClock } from './server-clock.ts';
import { ClickHouseAway, forSender } from './server-error.ts';
import { Usage } from './usage.ts';
import { devicesOf, eraseProject, eraseUser, exportLines } from './user-data.ts';
import { queryPrefix, runPlan } from './query.ts';
import { readCatalog, readExtent, readLastArrival } from './names.ts';
import { checkSchema } from './migrate.ts';

export interface ClickHouseStoreOptions extends ClusterStoreOptions {
  /** How long `close` waits for what is on its way, milliseconds. */
  readonly stopping?: number;
}

/** Approximate size of a request without its body. Bytes. */
const OVERHEAD = 1_024;
/** Each holds a connection, and its reader sets the pace. */
const EXPORTS = { what: 'exports', ofProject: 2, ofAll: 16 };
/** How often ClickHouse is asked whether it is back, milliseconds. */
const PROBE = 500;

/** What this store has none of. */
const NOT_HERE = {
  ...{ openShards: 0, cacheBytes: 0, workerRestarts: 0, compactions: 0 },
  ...{ journalBytes: 0, journalDamagedFiles: 0, journalLostRecords: 0, journalLostBytes: 0 },
};

export class ClickHouseStore implements EventStore {
  readonly mode = 'clickhouse';
  readonly #options: ClickHouseStoreOptions;
  readonly #bodies: BodyReaders;
  /** Connections of their own for what comes in, so that queries do not take them all. */
  readonly #ingest: ClickHouse;
  readonly #clickHouse: ClickHouse;
  readonly #lock: ProjectLock;
  readonly #queues: ProjectQueues;
  readonly #usage: Usage;
  readonly #retention: Retention | null;
  readonly #pastIds: PastIds;
  readonly #hotKeys: HotKeys;
  readonly #exports = new ProjectLimit(EXPORTS);
  readonly #shares: Ledger;
  #trouble: ClickHouseAway | null = null;
  /** Running in ClickHouse. */
  #queries = 0;
  #probe: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: ClickHouseStoreOptions) {
    this.#options = options;
    this.#bodies = new BodyReaders(options, options.writers);
    this.#ingest = new ClickHouse(options.access);
    this.#clickHouse = new ClickHouse(options.access);
    this.#shares = new Ledger(options.queueBytes);
    const last = (project: string): Promise<number> => readLastArrival(this.#ingest, project);
    const { turns, onTrouble } = options;
    const clickHouse = this.#ingest;
    const run = runOf(options);
    const clock = new ServerClock(clickHouse);
    const shared = { run, last, onTrouble, clock, endInserts: (of: string) => clickHouse.killAll(of) };
    this.#lock = turns === null ? new LockInProcess(last, clock) : new SharedLock({ ...shared, turns });
    this.#hotKeys = new HotKeys(clickHouse, this.#lock, run);
    this.#usage = new Usage(this.#ingest, options.onTrouble);
    const { projects } = options;
    const ofNode = { clickHouse: this.#clickHouse, turns, run, onTrouble };
    this.#retention = projects === undefined ? null : new Retention({ ...ofNode, lock: this.#lock, projects });
    this.#pastIds = new PastIds(ofNode);
    this.#queues = new ProjectQueues({
      ...{ clickHouse, run, lock: this.#lock },
      onStored: (project, { date, counts }) => this.#usage.add(project, date, counts),
    });
  }

  /** Call before anything is added. The only node ends inserts of its predecessor: nothing of them is stored after this. */
  async begin(): Promise<void> {
    if (this.#options.turns === null) await this.#ingest.killAll(runOf(this.#options));
    void this.#retention?.run();
    void this.#pastIds.run();
  }

  append(request: AppendRequest): Promise<AppendAnswer> {
    return this.#append(request.project, request);
  }

  bulk(project: ProjectRef, kind: 'track' | 'identify', context: RequestContext): BulkStream {
    const request = { project, kind: `${kind}_lines`, context, encoding: 'identity' } as const;
    return new BulkLines({
      lineLimit: this.#options.lineLimit,
      append: (lines) => this.#append(project, { ...request, body: joinedParts(lines) }),
      hasRoom: () => false, // nothing may follow what was refused
      ended: () => undefined,
    });
  }

  async unbindDevice(project: ProjectRef, deviceId: string): Promise<boolean> {
    const receivedAt = Date.now();
    const { accepted } = await this.#hold(project, OVERHEAD, {
      ...{ receivedAt, date: dateOf(receivedAt), counts: noCounts() },
      taken: { accepted: 0, rejected: 0, errors: [], warnings: [], lines: 0 },
      items: [{ kind: 'unbind', deviceId }],
      met: [],
    });
    return accepted > 0;
  }

  async device({ id }: ProjectRef, deviceId: string): Promise<DeviceBindings | null> {
    return deviceBindings(await readBindings(this.#clickHouse, id, deviceId), (user) => (user === '' ? null : user));
  }

  catalog({ id }: ProjectRef): Promise<Catalog> {
    return readCatalog(this.#clickHouse, id);
  }

  extent({ id }: ProjectRef): Promise<Extent | null> {
    return readExtent(this.#clickHouse, id);
  }

  async query({ id }: ProjectRef, plan: Plan, options: QueryOptions): Promise<QueryResult> {
    const { queryMemory: memory, queryGroups: groups } = this.#options;
    this.#queries++;
    try {
      const usesProperties = planUses(plan).fields.some(({ kind }) => kind === 'event');
      const slots = usesProperties ? await this.#hotKeys.fresh(id) : NO_SLOTS;
      return await runPlan(this.#clickHouse, { id, slots }, plan, { ...options, memory, groups });
    } finally {
      this.#queries--;
    }
  }

  async answer(...[project, plan, { format, ...options }]: Parameters<EventStore['answer']>): Promise<PageResult> {
    const { table, ...rest } = await this.query(project, plan, options);
    return { ...rest, page: formatPage(format, table, plan.zone, askedMetrics(plan)) };
  }

  onUsage(listener: (totals: UsageTotals) => void): void {
    this.#usage.listen(listener);
  }

  async *exportUser(project: ProjectRef, userId: string): AsyncIterable<Uint8Array> {
    const leave = this.#exports.enter(project);
    try {
      for await (const line of exportLines(this.#clickHouse, project.id, userId))
        yield Buffer.from(`${JSON.stringify(line)}\n`);
    } finally {
      leave();
    }
  }

  eraseUser(...[{ id }, userId, before]: Parameters<EventStore['eraseUser']>): Promise<Erased> {
    return this.#lock.hold(id, 1, async (upTo) => {
      const devices = await devicesOf(this.#clickHouse, id, userId);
      await before?.({ devices, upTo });
      await this.#endQueries(id);
      return eraseUser(this.#clickHouse, id, { userId, devices, upTo });
    });
  }

  deleteEvents(): Promise<number> {
    return Promise.reject(
      new AppError(
        'not_available',
        'On ClickHouse, events cannot be deleted by a condition yet: nothing was deleted.',
        {
          hints: [
            'Move the project to a host with a data folder (`wl admin cluster export`), delete there, and move it back.',
            'A user is erased here, too (`wl gdpr delete`), and events that are older than the retention of the project go by themselves.',
          ],
        },
      ),
    );
  }

  async drop(projectId: string): Promise<void> {
    await this.#lock.holdLast(projectId, async () => {
      await this.#endQueries(projectId);
      await eraseProject(this.#clickHouse, projectId);
    });
    this.#hotKeys.forget(projectId);
  }

  /** On all nodes: a query holds the files that it reads, with what is to be erased. */
  async #endQueries(project: string): Promise<void> {
    await this.#clickHouse.killAll(queryPrefix(project));
  }

  replace(): Promise<void> {
    return Promise.reject(
      new AppError('not_available', 'On ClickHouse there is no restore of a project from a file yet.', {
        hints: ['cluster/docs/scale.md lists what this store cannot do yet.'],
      }),
    );
  }

  stats(): StoreStats {
    return {
      ...NOT_HERE,
      ...this.#queues.stats,
      busyThreads: this.#queries,
      queuedBytes: this.#shares.total,
    };
  }

  storedBy(): number {
    return 0;
  }

  queuedBy(projectId: string): number {
    return this.#shares.heldBy(projectId);
  }

  ready(): { readonly ok: boolean; readonly reason?: string } {
    return this.#trouble === null ? { ok: true } : { ok: false, reason: this.#trouble.message };
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#probe);
    // How long a node that stops waits for statements, milliseconds. What goes on then is ended by the next start, or
    // by another node.
    const { stopping = 15_000, onTrouble } = this.#options;
    const finished = this.#finish().then(() => true);
    if (!(await Promise.race([finished, pause(stopping, false, { ref: false })])))
      onTrouble(new Error('ClickHouse does not answer'), 'stopped although statements may still run in ClickHouse');
    await this.#bodies.close();
    await Promise.all([this.#ingest.close(), this.#clickHouse.close()]);
  }

  async #finish(): Promise<void> {
    await Promise.all([this.#retention?.close(), this.#pastIds.close()]);
    await this.#queues.idle();
    await this.#usage.tell();
  }

  /** Is not ready until ClickHouse answers again: a balancer sends nothing meanwhile that would show it. */
  #notice(trouble: ClickHouseAway): void {
    if (this.#trouble === null) this.#probe = setTimeout(() => void this.#lookAgain(), PROBE);
    this.#trouble = trouble;
  }

  async #lookAgain(): Promise<void> {
    try {
      await this.#clickHouse.query({ sql: 'SELECT 1' }, { time: PROBE });
      this.#trouble = null;
    } catch (error) {
      if (!(error instanceof AppError)) this.#options.onTrouble(error, 'ClickHouse was asked whether it is back');
      if (!this.#closed) this.#probe = setTimeout(() => void this.#lookAgain(), PROBE);
    }
  }

  /** Kinds of values that the project has for the first time are noted first; that happens some dozen times in its life. */
  async #read(project: string, request: Omit<RawRequest, 'slots'>): Promise<ParsedRequest> {
    let slots = await this.#hotKeys.of(project);
    for (;;) {
      const parsed = await this.#bodies.read({ ...request, slots });
      if (parsed.met.length === 0) return parsed;
      slots = await this.#hotKeys.note(project, parsed.met);
    }
  }

  #append(project: ProjectRef, request: Omit<RawRequest, 'slots'>): Promise<AppendAnswer> {
    const { byteLength } = request.body;
    return this.#hold(project, byteLength + OVERHEAD, () => this.#read(project.id, request));
  }

  /** Stores a request, counting its bytes until it is answered. */
  async #hold(
    project: ProjectRef,
    bytes: number,
    request: ParsedRequest | (() => Promise<ParsedRequest>),
  ): Promise<AppendAnswer> {
    if (this.#closed) throw new AppError('shutting_down', 'The service is stopping.');
    if (this.#trouble !== null) throw this.#trouble; // at once: what waits would grow, and be refused later
    if (!this.#shares.take(project, bytes)) throw tooMuchWaiting();
    try {
      const parsed = typeof request === 'function' ? await request() : request;
      if (parsed.items.length === 0) {
        this.#usage.add(project.id, parsed.date, parsed.counts);
        return { ...parsed.taken, ignored: [] };
      }
      return await this.#queues.add(project.id, parsed);
    } catch (failure) {
      const error = forSender(failure);
      if (error instanceof ClickHouseAway) this.#notice(error);
      throw error;
    } finally {
      this.#shares.give(project, bytes);
    }
  }
}

/** What ids of inserts begin with. Of the only node: always the same. */
function runOf({ turns, access }: ClickHouseStoreOptions): string {
  return turns === null ? `windlass-${access.database}-` : `windlass-${randomUUID()}-`;
}

/** Opens the store on ClickHouse. Rejects with ConfigError where it cannot work: wrong tables, no rights, nobody there. */
export async function openClickHouseStore(options: ClusterStoreOptions): Promise<EventStore> {
  await checkSchema(options.access);
  const store = new ClickHouseStore(options);
  await store.begin();
  return store;
}
