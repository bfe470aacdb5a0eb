/** Answers plans from the segments of a snapshot: schedules their parts, runs them on threads, merges the results. */
import type { Format } from '../dsl/format/answer.ts';
import type { Plan } from '../dsl/plan/plan.ts';
import { FairTurns } from '../base/fair-turns.ts';
import type { Tenant } from '../base/project.ts';
import {
  isSnapshot,
  type Readable,
  type ShardAtRest,
  type ShardCatalog,
  type Snapshot,
} from '../shards/shard-reader.ts';
import type { Made, PageResult, QueryOptions, QueryResult } from './query-result.ts';
import { runsInSlices } from './plan-parts.ts';
import type { ThreadTask } from './pool/query-thread.ts';
import { noRoom, tooLarge } from './budget.ts';
import { type Limits, type Reply, unseenByAll, opened, partialOf, partReply, type PartReply } from './pool/protocol.ts';
import type { EventSpan } from './event-spans.ts';
import { NoRoom, Rooms } from './room.ts';
import { WHOLE } from './query-context.ts';
import { endOf, timeout } from './query-end.ts';
import { isSmall, Scheduler, segmentsOf, type Part } from './scheduler.ts';
import type { Pool, Running } from './pool/pool.ts';
import { ThreadProbe } from './pool/thread-probe.ts';

export interface QueryEngineOptions {
  readonly threads: number;
  /** Bytes that one query may hold. */
  readonly memoryBytes: number;
  /** Groups that one query may hold. */
  readonly maxGroups: number;
  /** Bytes of decoded columns, for all threads together. Memory held by running queries is subtracted. */
  readonly cacheBytes: number;
  /** Called when a thread does not work. */
  readonly onTrouble?: (error: unknown, what: string) => void;
}

/** Replaces a project, for work that belongs to nobody. */
const NOBODY: Tenant = { id: '', orgId: '', weight: 1 };
const MAX_RUN = 0x7fffffff;
/** How often a query that finds no room is retried. */
const ROOM_TRIES = 8;

/** A query, run in the turns of `tenant`. */
export interface EngineQuery extends QueryOptions {
  readonly tenant: Tenant;
  /** Aborted when nobody may read the shard any longer. */
  readonly interruption?: AbortSignal;
  /** Gets the snapshot that was made of a shard at rest. */
  readonly took?: (snapshot: Snapshot) => void;
}

interface Query {
  readonly nth: number;
  readonly plan: Plan;
  readonly source: Readable;
  readonly took: (snapshot: Snapshot) => void;
  readonly tenant: Tenant;
  readonly deadline: number;
  readonly format: Format | null;
  /** When it was asked, by the clock of `performance`. */
  readonly begun: number;
  readonly running: Running[];
  /** `ended`: it is answered, or nobody waits for it any longer; then `over` resolves. */
  readonly life: { ended: boolean; readonly over: Promise<void> };
}

/** A query with the snapshot that it reads. */
interface PlacedQuery extends Query {
  readonly snapshot: Snapshot;
  readonly parts: readonly Part[];
  /** Milliseconds that it took to schedule them. */
  readonly placing: number;
}

export class QueryEngine {
  readonly #options: QueryEngineOptions;
  readonly #pool: Pool;
  readonly #scheduler: Scheduler;
  /** Of each thread, after its last task. */
  readonly #cacheBytes: number[] = [];
  readonly #probe: ThreadProbe;
  readonly #rooms: Rooms;
  /**
   * Turns of queries that start again because others held their memory: together they would meet again and fail, and one may wait
   * in its turn until its deadline.
   */
  readonly #retries = new FairTurns();
  #runs = 0;
  #queries = 0;

  /** Ends the threads of `pool` when it closes. */
  constructor(options: QueryEngineOptions, pool: Pool) {
    this.#options = options;
    this.#pool = pool;
    this.#scheduler = new Scheduler(options.threads);
    this.#rooms = new Rooms(Math.max(options.cacheBytes, options.memoryBytes));
    const { onTrouble = () => undefined } = options;
    this.#probe = new ThreadProbe({ threads: this, onTrouble });
  }

  /**
   * Rejects with AppError (`bad_query`, `query_timeout` at the deadline, `overloaded` when cancelled) and with StaleSnapshot when
   * the snapshot can no longer be read.
   */
  async query(source: Readable, plan: Plan, options: EngineQuery): Promise<QueryResult> {
    const { made, ...rest } = await this.#ask(source, plan, { ...options, format: null });
    if (made.kind !== 'table') throw new Error(`a query answered with a ${made.kind}`);
    return { ...rest, table: made.table };
  }

  /** As `query`, with the rows as text. */
  async answer(source: Readable, plan: Plan, options: EngineQuery & { readonly format: Format }): Promise<PageResult> {
    const { made, ...rest } = await this.#ask(source, plan, options);
    if (made.kind !== 'page') throw new Error(`a query answered with a ${made.kind}`);
    return { ...rest, page: made.page };
  }

  async #ask(
    source: Readable,
    plan: Plan,
    {
      deadline,
      signal,
      interruption,
      took = () => undefined,
      tenant,
      format,
    }: EngineQuery & { readonly format: Format | null },
  ): Promise<EngineResult> {
    let end = (): void => undefined;
    const life = { ended: false, over: new Promise<void>((resolve) => (end = resolve)) };
    const asked = { nth: ++this.#queries, begun: performance.now(), running: [], life };
    const query: Query = { ...asked, plan, source, took, tenant, deadline, format };
    const ended = endOf(deadline, [signal, interruption]);
    try {
      return await Promise.race([this.#answerWithRoom(query), ended.promise]);
    } finally {
      ended.clear();
      life.ended = true;
      end();
      for (const running of query.running) running.stop();
    }
  }

  /** Resolves once the thread that the first query would wait for is up; the others start when first needed. */
  async started(): Promise<void> {
    const { reply } = this.#pool.run(this.#pool.small, NOBODY, { kind: 'probe', run: this.#nextRun() });
    await reply.catch(() => undefined); // one that does not work is reported and replaced
  }

  /** Drops everything cached for a project; resolves once every thread has done so. */
  async forget(project: string): Promise<void> {
    this.#scheduler.forget(project);
    const threads = this.#pool.started().map(async (thread) => {
      const { reply } = this.#pool.run(thread, NOBODY, { kind: 'forget', project, run: this.#nextRun() });
      await reply.catch(() => undefined); // a thread that dies meanwhile has dropped everything
    });
    await Promise.all(threads);
  }

  /**
   * Rejects when a thread cannot do what queries need, or not by the deadline, in milliseconds of `monotonic()`. One that runs a query
   * at the deadline works: some cannot pause for long, and it is ended if it does not stop when their time is over.
   */
  async probe(deadline: number): Promise<void> {
    const ended = endOf(deadline);
    const running = this.#pool
      .started()
      .map((thread) => this.#pool.run(thread, NOBODY, { kind: 'probe', run: this.#nextRun() }));
    const late = new Set(running);
    const answered = running.map(async (one) => {
      opened(await one.reply);
      late.delete(one);
    });
    const isBusy = (one: Running): boolean => this.#pool.isHeld(one.thread(), NOBODY);
    try {
      await Promise.race([Promise.all(answered), ended.promise.catch(() => undefined)]);
      if (![...late].every(isBusy)) throw timeout();
    } finally {
      ended.clear();
      for (const one of running) one.stop();
    }
  }

  stats(): { readonly cacheBytes: number; readonly workerRestarts: number; readonly busyThreads: number } {
    return {
      cacheBytes: this.#pool.started().reduce((sum, thread) => sum + (this.#cacheBytes[thread] ?? 0), 0),
      workerRestarts: this.#pool.restarts,
      busyThreads: this.#pool.busy,
    };
  }

  /** Why queries cannot be answered; null: they can. */
  get failure(): string | null {
    return this.#probe.failure;
  }

  close(): Promise<void> {
    this.#probe.close();
    return this.#pool.close();
  }

  /**
   * A query that could be split is not until all threads are up, as starting one takes long compared with a query, nor while
   * another project holds one: a single part can be relieved.
   */
  #place({ plan, tenant }: Query, snapshot: Snapshot): readonly Part[] {
    const parts = this.#scheduler.schedule(plan, snapshot);
    const threads = parts.map(({ thread }) => thread);
    if (parts.length === 1) return parts;
    const areUp = this.#pool.areUp(threads);
    if (areUp && !this.#pool.areHeld(threads, tenant)) return parts;
    if (!areUp) this.#pool.startSoon(threads);
    return this.#scheduler.schedule(plan, snapshot, false);
  }

  /** Answers; if others hold the memory that the query needs, it starts again in its turn, when some of them end. */
  async #answerWithRoom(query: Query): Promise<EngineResult> {
    try {
      return await this.#attempt(query);
    } catch (error) {
      if (!(error instanceof NoRoom)) throw error;
    }
    return this.#retries.run(query.tenant, async () => {
      for (let attempt = 1; attempt <= ROOM_TRIES; attempt++) {
        try {
          return await this.#attempt(query);
        } catch (error) {
          if (!(error instanceof NoRoom)) throw error;
          if (this.#rooms.held > 0) await Promise.race([this.#rooms.freed(), query.life.over]);
        }
      }
      throw noRoom();
    });
  }

  /** Throws NoRoom when others hold the memory that it needs; by then none of its parts still runs. */
  async #attempt(query: Query): Promise<EngineResult> {
    if (query.life.ended) throw timeout(); // nobody waits for it any longer
    try {
      return await (isSnapshot(query.source)
        ? this.#answer(query, query.source)
        : this.#answerAtRest(query, query.source));
    } catch (error) {
      if (!(error instanceof NoRoom)) throw error;
      const own = query.running.splice(0);
      for (const running of own) running.stop();
      await Promise.allSettled(own.map(({ reply }) => reply));
      throw error.alone ? tooLarge(this.#options.memoryBytes) : error;
    }
  }

  /** A small query is answered by the thread that makes the snapshot; others are run with it as usual. */
  async #answerAtRest(query: Query, shard: ShardAtRest): Promise<EngineResult> {
    const { plan } = query;
    const limits = this.#limits(query, 1);
    const thread = this.#scheduler.home(shard.project);
    const reply = await this.#run(
      query,
      { thread, small: true },
      { kind: 'rest', run: this.#nextRun(), plan, shard, ...limits },
    );
    if (reply.kind === 'snapshot') {
      query.took(reply.snapshot);
      return this.#answer(query, reply.snapshot);
    }
    const answered = partReply(reply);
    const { snapshot } = answered.seen;
    if (snapshot === undefined) throw new Error('a shard at rest was read without a snapshot');
    query.took(snapshot);
    const parts = [{ thread, segments: segmentsOf(plan, snapshot), slice: WHOLE }];
    return this.#resultOf({ ...query, snapshot, parts, placing: 0 }, [answered]);
  }

  async #answer(query: Query, snapshot: Snapshot): Promise<EngineResult> {
    const begun = performance.now();
    const parts = this.#place(query, snapshot);
    const placed = { ...query, snapshot, parts, placing: performance.now() - begun };
    return this.#resultOf(placed, await Promise.all(parts.map((part) => this.#runPart(placed, part))));
  }

  async #resultOf(query: PlacedQuery, replies: readonly PartReply[]): Promise<EngineResult> {
    const ran = performance.now();
    const seen = replies.map((reply) => reply.seen);
    const made = await this.#join(query, replies);
    const unseen = unseenByAll(seen.map((part) => part.unseen));
    return {
      made,
      names: seen[0]?.names ?? null,
      spans: seen[0]?.spans ?? [],
      observations: {
        unseenEvents: unseen.events,
        unseenFields: unseen.fields,
        rowsScanned: runsInSlices(query.plan) ? seen[0]!.rows : seen.reduce((sum, { rows }) => sum + rows, 0),
        ...(seen[0]?.exposures === undefined ? {} : { exposures: seen[0].exposures }),
      },
      times: [
        { stage: 'place', ms: query.placing },
        { stage: 'run', ms: ran - query.begun - query.placing },
        { stage: 'merge', ms: performance.now() - ran },
      ],
      parts: query.parts.map(({ thread, segments }, index) => ({
        thread,
        segments: segments.length,
        rows: seen[index]!.rows,
        ms: seen[index]!.ms,
      })),
    };
  }

  async #runPart(query: PlacedQuery, part: Part): Promise<PartReply> {
    const { plan, snapshot, parts } = query;
    const { thread, segments, slice } = part;
    const sole = parts.length === 1;
    const others = slice.of > 1 ? [] : parts.filter((other) => other !== part);
    const elsewhere = others.flatMap((other) => other.segments);
    const limits = this.#limits(query, parts.length);
    const read = { segments, elsewhere, slice };
    const task: ThreadTask = { kind: 'part', run: this.#nextRun(), plan, snapshot, ...read, sole, ...limits };
    return partReply(await this.#run(query, { thread, small: isSmall(plan, parts) }, task));
  }

  async #join(query: PlacedQuery, replies: readonly PartReply[]): Promise<Made> {
    const [first] = replies;
    if (first?.kind === 'table' || first?.kind === 'page') return first;
    const partials = replies.map(partialOf);
    const bytes = replies.reduce((sum, reply) => sum + (reply.kind === 'partial' ? reply.bytes : 0), 0);
    const { plan, snapshot } = query;
    const limits = this.#limits(query, 1);
    const { buffersOf, mergeHere, mergesHere } = await import('./merge-parts.ts');
    if (mergesHere(partials, bytes)) return mergeHere(plan, partials, limits);
    const task: ThreadTask = { kind: 'merge', run: this.#nextRun(), plan, snapshot, partials, ...limits };
    const merger = { thread: query.parts[0]!.thread, small: false };
    const reply = await this.#run(query, merger, task, buffersOf(partials));
    if (reply.kind !== 'table' && reply.kind !== 'page') throw new Error(`a merge answered ${reply.kind}`);
    return reply;
  }

  async #run(
    query: Query,
    { thread, small }: { readonly thread: number; readonly small: boolean },
    task: ThreadTask,
    buffers: readonly ArrayBuffer[] = [],
  ): Promise<Reply> {
    const room = this.#rooms.open(query.tenant, query.nth);
    const sent = room ? { ...task, room: room.share } : task;
    const running = this.#pool.run(thread, query.tenant, sent, { buffers, small });
    query.running.push(running);
    const over = running.reply.finally(() => room?.close());
    const reply = opened(await over);
    if ('seen' in reply && task.kind !== 'merge') this.#cacheBytes[running.thread()] = reply.seen.cacheBytes;
    return reply;
  }

  /** Run numbers fit into the 32 bits in which threads are told them. */
  #nextRun(): number {
    this.#runs = (this.#runs % MAX_RUN) + 1;
    return this.#runs;
  }

  #limits({ deadline, format }: Query, shares: number): Required<Omit<Limits, 'room'>> {
    const { memoryBytes, maxGroups } = this.#options;
    return { memory: Math.floor(memoryBytes / shares), queryMemory: memoryBytes, maxGroups, deadline, format };
  }
}

interface EngineResult extends Omit<QueryResult, 'table'> {
  readonly made: Made;
  readonly names: ShardCatalog | null;
  readonly spans: readonly EventSpan[];
}
