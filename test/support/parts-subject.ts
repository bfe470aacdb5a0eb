/** The engine without its threads, as a subject: splits segments among any number of parts, and merges the partials. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Plan } from '../../lib/dsl/plan/plan.ts';
import type { Table } from '../../lib/dsl/plan/table.ts';
import { AppError } from '../../lib/base/errors.ts';
import type { Snapshot } from '../../lib/shards/shard-reader.ts';
import type { PartialResult } from '../../lib/workers/kernels/partial-result.ts';
import { runsInOnePart, runsInSlices, readRange } from '../../lib/workers/plan-parts.ts';
import { CONTROL_LENGTH, type PartTask, type Reply, type Task } from '../../lib/workers/pool/protocol.ts';
import { WHOLE } from '../../lib/workers/query-context.ts';
import { TaskRunner } from '../../lib/workers/pool/task-runner.ts';
import { ShardReaders } from '../../lib/workers/pool/shard-readers.ts';
import type { Answer } from '../oracle/table.ts';
import type { World, WorldRequest } from '../oracle/world.ts';
import type { CompiledPlans } from './compile.ts';
import { ShardPlay, type Play } from './shard-play.ts';
import type { Subject } from './subject.ts';

const LIMITS = { memory: 2 ** 30, queryMemory: 2 ** 30, maxGroups: 1_000_000 };

export class PartsSubject implements Subject {
  readonly #folder = fs.mkdtempSync(path.join(os.tmpdir(), 'windlass-parts-'));
  readonly #shards = new ShardReaders({ cacheBytes: 64 * 2 ** 20, readShards: 16 });
  readonly #thread = new TaskRunner(this.#shards, new Int32Array(CONTROL_LENGTH));
  #play: ShardPlay | null = null;
  #projects = 0;
  #runs = 0;
  /** How the next world is cut into segments. */
  cutting: Play = { turns: [][Symbol.iterator](), sealRows: 1_000_000, segmentRows: 1_000 };
  /** Number of parts of a query, if its plan allows more than one. */
  parts = 1;

  load(world: World): Promise<void> {
    this.#leave();
    this.#play = new ShardPlay(this.#folder, `prj_${this.#projects++}`, this.cutting);
    this.#play.load(world);
    return Promise.resolve();
  }

  send(request: WorldRequest): Promise<void> {
    this.#play?.send(request);
    return Promise.resolve();
  }

  query({ optimized: plan }: CompiledPlans): Promise<Answer> {
    const snapshot = this.#play?.snapshot();
    if (snapshot === undefined) throw new Error('no world is loaded');
    if (this.parts === 1 || runsInOnePart(plan)) return Promise.resolve(this.#table(this.#part(plan, snapshot, 0, 1)));
    const partials = Array.from({ length: this.parts }, (_, part) => this.#partial(plan, snapshot, part));
    const base = { run: ++this.#runs, drop: [], deadline: Infinity, ...LIMITS };
    return Promise.resolve(this.#table({ ...base, kind: 'merge', plan, snapshot, partials: partials.reverse() }));
  }

  /** Removes the folder. */
  close(): void {
    this.#leave();
    fs.rmSync(this.#folder, { recursive: true });
  }

  #leave(): void {
    if (this.#play === null) return;
    this.#shards.forget(this.#play.project);
    this.#play.close();
    this.#play = null;
  }

  #part(plan: Plan, snapshot: Snapshot, part: number, parts: number): PartTask {
    const { from, to } = readRange(plan);
    const inRange = snapshot.segments.filter(({ first, last }) => first < to && last >= from);
    const all = plan.kind === 'users' ? [] : inRange;
    const inSlices = runsInSlices(plan);
    const isOwn = (_: unknown, index: number): boolean => inSlices || index % parts === part;
    return {
      kind: 'part',
      run: ++this.#runs,
      drop: [],
      deadline: Infinity,
      ...LIMITS,
      plan,
      snapshot,
      segments: all.filter(isOwn),
      elsewhere: all.filter((segment, index) => !isOwn(segment, index)),
      slice: inSlices ? { index: part, of: parts } : WHOLE,
      sole: parts === 1,
    };
  }

  #table(task: Task): Table {
    const reply = this.#ask(task);
    if (reply.kind !== 'table') throw new Error(`expected a table, got ${reply.kind}`);
    return reply.table;
  }

  /** Copied as between threads. */
  #partial(plan: Plan, snapshot: Snapshot, part: number): PartialResult {
    const reply = this.#ask(this.#part(plan, snapshot, part, this.parts));
    if (reply.kind !== 'partial') throw new Error(`expected a partial, got ${reply.kind}`);
    return structuredClone(reply.partial);
  }

  #ask(task: Task): Reply {
    const { reply } = this.#thread.handle(task);
    if (reply.kind === 'error') throw AppError.from(reply.error);
    if (reply.kind === 'bug') throw new Error(reply.stack);
    return reply;
  }
}
