/** Answers plans from the segments of a snapshot: schedules their parts, runs them on threads, merges the results. */
import type { AnswerFormat } from '../dsl/format/answer.ts';
import type { Plan } from '../dsl/plan/plan.ts';
import { TaskTurns } from '../base/task-turns.ts';
import type { Tenant } from '../base/project.ts';
import { isSnapshot, type Readable, type ShardAtRest, type Snapshot } from '../shards/shard-reader.ts';
import { askInTurn, type Asking, type EngineQuery, type Question } from './ask-in-turn.ts';
import type { EngineResult, MadeRows, PageResult, QueryResult } from './query-result.ts';
import { runsInSlices } from './plan-parts.ts';
import type { Running, ThreadTask } from './pool/lane.ts';
import { noRoom, tooLarge } from './budget.ts';
import {
  isMade,
  type PartLimits,
  type TaskReply,
  unseenByAll,
  unlessFailed,
  partialOfReply,
  partReply,
  type PartReply,
} from './pool/protocol.ts';
import { NoRoom, Rooms } from './room.ts';
import { WHOLE } from './query-context.ts';
import { endOf, timeout } from './query-end.ts';
import { isLong, isSmall, Scheduler, segmentsOf, type Part } from './scheduler.ts';
import type { Pool, TaskOptions } from './pool/pool.ts';
import { ThreadProbe } from './pool/thread-probe.ts';
import type { PersonSet } from './where/person-tables.ts';

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

interface Query {
  readonly nth: number;
  readonly plan: Plan;
  readonly source: Readable;
  readonly took: (snapshot: Snapshot) => void;
  readonly tenant: Tenant;
  readonly deadline: number;
  readonly format: AnswerFormat | 'rows' | null;
  /** Rows to compare with. */
  readonly earlier: Uint8Array<ArrayBuffer> | null;
  readonly persons: readonly PersonSet[];
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
  readonly #probe: ThreadProbe;
  readonly #rooms: Rooms;
  /**
   * Turns of queries that start again because others held their memory: together they would meet again and fail, and one may wait
   * in its turn until its deadline.
   */
  readonly #retries = new TaskTurns({ atOnce: { all: 1 } });
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
  async answer(
    source: Readable,
    plan: Plan,
    options: EngineQuery & { readonly format: AnswerFormat },
  ): Promise<PageResult> {
    const { made, ...rest } = await this.#ask(source, plan, options);
    if (made.kind !== 'page') throw new Error(`a query answered with a ${made.kind}`);
    return { ...rest, page: made.page };
  }

  #ask(source: Readable, plan: Plan, asking: Asking): Promise<EngineResult> {
    return askInTurn({ source, plan, asking }, (question) => this.#askOnce(question));
  }

  async #askOnce({ source, plan, asking }: Question): Promise<EngineResult> {
    const {
      deadline,
      signal,
      interruption,
      took = () => undefined,
      tenant,
      format,
      earlier = null,
      persons = [],
    } = asking;
    let end = (): void => undefined;
    const life = { ended: false, over: new Promise<void>((resolve) => (end = resolve)) };
    const asked = { nth: ++this.#queries, begun: performance.now(), running: [], life };
    const query: Query = { ...asked, plan, source, took, tenant, deadline, format, earlier, persons };
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
    await this.#pool.started().catch(() => undefined); // one that does not work is reported and replaced
  }

  /** Drops everything cached for a project; resolves once every thread has done so. */
  async forget(project: string): Promise<void> {
    this.#scheduler.forget(project);
    await this.#pool.runInAll({ kind: 'forget', project });
  }

  /**
   * Rejects when a thread cannot do what queries need, or not by the deadline, in milliseconds of `monotonic()`. One that runs a query
   * at the deadline works: it is ended if it does not stop when the query's time is over.
   */
  async probe(deadline: number): Promise<void> {
    const ended = endOf(deadline);
    const late = ended.promise.catch(() => null);
    try {
      const replies = await Promise.race([this.#pool.probe(), late]);
      if (replies === null && this.#pool.busy === 0) throw timeout();
      for (const reply of replies ?? []) unlessFailed(reply);
    } finally {
      ended.clear();
    }
  }

  stats(): { readonly cacheBytes: number; readonly workerRestarts: number; readonly busyThreads: number } {
    return { cacheBytes: this.#pool.cacheBytes, workerRestarts: this.#pool.restarts, busyThreads: this.#pool.busy };
  }

  /** Why queries cannot be answered; null: they can. */
  get failure(): string | null {
    return this.#probe.failure;
  }

  close(): Promise<void> {
    this.#probe.close();
    return this.#pool.close();
  }

  /** Answers; if others hold the memory that the query needs, it starts again in its turn, when some of them end. */
  async #answerWithRoom(query: Query): Promise<EngineResult> {
    try {
      return await this.#attempt(query);
    } catch (error) {
      if (!(error instanceof NoRoom)) throw error;
    }
    return this.#retries.run(query.tenant, async () => {
      for (let attempt = 1; attempt <= 8; attempt++) {
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
      { kind: 'rest', plan, shard, ...limits },
      { source: { whole: shard.project, part: thread }, small: true },
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
    const wanted = this.#scheduler.schedule(query.plan, snapshot);
    const areUp = this.#pool.up.large >= wanted.length;
    // Starting threads takes long compared with a query: that comes after the answer.
    const parts = areUp || wanted.length === 1 ? wanted : this.#scheduler.schedule(query.plan, snapshot, false);
    const placed = { ...query, snapshot, parts, placing: performance.now() - begun };
    const replies = await Promise.all(parts.map((part) => this.#runPart(placed, part)));
    if (parts.length < wanted.length) setImmediate(() => this.#pool.startLarge());
    return this.#resultOf(placed, replies);
  }

  async #resultOf(query: PlacedQuery, replies: readonly PartReply[]): Promise<EngineResult> {
    const ran = performance.now();
    const seen = replies.map((reply) => reply.seen);
    const made = await this.#join(query, replies);
    const unseen = unseenByAll(seen.map((part) => part.unseen));
    const whole = runsInSlices(query.plan) ? seen.slice(0, 1) : seen; // each slice reads all segments
    const sum = (of: 'rows' | 'bots'): number => whole.reduce((total, part) => total + (part[of] ?? 0), 0);
    const bots = sum('bots');
    return {
      made,
      names: seen[0]?.names ?? null,
      spans: seen[0]?.spans ?? [],
      observations: {
        unseenEvents: unseen.events,
        unseenFields: unseen.fields,
        ...(unseen.texts.length === 0 ? {} : { textFields: unseen.texts }),
        rowsScanned: sum('rows'),
        ...(bots === 0 ? {} : { bots }),
        ...(seen[0]?.sessions === undefined ? {} : { sessions: seen[0].sessions }),
        ...(seen[0]?.experiment === undefined ? {} : { experiment: seen[0].experiment }),
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
    const compared = sole ? {} : { earlier: null };
    const task: ThreadTask = {
      kind: 'part',
      plan,
      snapshot,
      ...read,
      sole,
      ...limits,
      ...compared,
    };
    const source = { whole: snapshot.project, part: thread };
    return partReply(await this.#run(query, task, { source, small: isSmall(plan, parts), long: isLong(plan, part) }));
  }

  async #join(query: PlacedQuery, replies: readonly PartReply[]): Promise<MadeRows> {
    const [first] = replies;
    if (first !== undefined && isMade(first)) return first;
    const partials = replies.map(partialOfReply);
    const bytes = replies.reduce((sum, reply) => sum + (reply.kind === 'partial' ? reply.bytes : 0), 0);
    const { plan, snapshot } = query;
    const limits = this.#limits(query, 1);
    const { buffersOf, mergeHere, mergesHere } = await import('./merge-parts.ts');
    if (mergesHere(plan, partials, bytes + (query.earlier?.length ?? 0))) return mergeHere(plan, partials, limits);
    const task: ThreadTask = { kind: 'merge', plan, snapshot, partials, ...limits };
    const source = { whole: snapshot.project, part: query.parts[0]!.thread };
    const reply = await this.#run(query, task, { source, buffers: buffersOf(partials) });
    if (!isMade(reply)) throw new Error(`a merge answered ${reply.kind}`);
    return reply;
  }

  async #run(query: Query, task: ThreadTask, options: TaskOptions): Promise<TaskReply> {
    const room = this.#rooms.open(query.tenant, query.nth);
    const sent = room ? { ...task, room: room.share } : task;
    const running = this.#pool.run(query.tenant, sent, options);
    query.running.push(running);
    return unlessFailed(await running.reply.finally(() => room?.close()));
  }

  #limits({ deadline, format, earlier, persons }: Query, shares: number): Required<Omit<PartLimits, 'room'>> {
    const { memoryBytes, maxGroups } = this.#options;
    const memory = Math.floor(memoryBytes / shares);
    return { memory, queryMemory: memoryBytes, maxGroups, deadline, format, earlier, persons };
  }
}
