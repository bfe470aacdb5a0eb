/** The engine without its threads, as a subject: splits segments among any number of parts, and merges the partials. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { earlierPlan, withEarlier } from '../../lib/dsl/finish/compare.ts';
import { didPlans } from '../../lib/dsl/plan/did.ts';
import type { Plan } from '../../lib/dsl/plan/plan.ts';
import type { Table } from '../../lib/dsl/plan/table.ts';
import { AppError } from '../../lib/base/errors.ts';
import type { Snapshot } from '../../lib/shards/shard-reader.ts';
import type { PartialResult } from '../../lib/workers/kernels/partial-result.ts';
import { runsInOnePart, runsInSlices, readRange } from '../../lib/workers/plan-parts.ts';
import { newStop, type PartTask, type TaskReply, type Task } from '../../lib/workers/pool/protocol.ts';
import { WHOLE } from '../../lib/workers/query-context.ts';
import { TaskRunner } from '../../lib/workers/pool/task-runner.ts';
import { ShardReaders } from '../../lib/workers/pool/shard-readers.ts';
import type { PersonSet } from '../../lib/workers/where/person-tables.ts';
import type { Answer } from '../oracle/table.ts';
import type { World, WorldRequest } from '../oracle/world.ts';
import type { CompiledPlans } from './compile.ts';
import { ShardPlay, type Play } from './shard-play.ts';
import type { Subject } from './subject.ts';

const LIMITS = { memory: 2 ** 30, queryMemory: 2 ** 30, maxGroups: 1_000_000 };

export class PartsSubject implements Subject {
  readonly #folder = fs.mkdtempSync(path.join(os.tmpdir(), 'windlass-parts-'));
  readonly #shards = new ShardReaders({ cacheBytes: 64 * 2 ** 20, readShards: 16 });
  readonly #thread = new TaskRunner(this.#shards);
  #play: ShardPlay | null = null;
  #projects = 0;
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

  query({ optimized }: CompiledPlans): Promise<Answer> {
    const earlier = earlierPlan(optimized);
    const plan = earlier === null ? optimized : withEarlier(optimized, this.#answer(earlier).rows);
    return Promise.resolve(this.#answer(plan));
  }

  #answer(plan: Plan): Table {
    const persons = didPlans(plan).map((did): PersonSet => {
      const found = this.#run(did.plan, []);
      if (found.kind !== 'persons') throw new Error(`expected persons, got ${found.kind}`);
      return { key: did.key, passes: found.passes };
    });
    const reply = this.#run(plan, persons);
    if (reply.kind !== 'table') throw new Error(`expected a table, got ${reply.kind}`);
    return reply.table;
  }

  #run(plan: Plan, persons: readonly PersonSet[]): TaskReply {
    const snapshot = this.#play?.snapshot();
    if (snapshot === undefined) throw new Error('no world is loaded');
    const whole = this.parts === 1 || runsInOnePart(plan);
    const parts = Array.from({ length: whole ? 1 : this.parts }, (_, part): PartTask => {
      return { ...this.#part(plan, snapshot, part, whole ? 1 : this.parts), persons };
    });
    if (whole) return this.#ask(parts[0]!);
    const partials = parts.map((part) => this.#partial(part));
    const base = { stop: newStop(), deadline: Infinity, ...LIMITS };
    return this.#ask({ ...base, kind: 'merge', plan, snapshot, partials: partials.reverse() });
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
      stop: newStop(),
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

  /** Copied as between threads. */
  #partial(part: PartTask): PartialResult {
    const reply = this.#ask(part);
    if (reply.kind !== 'partial') throw new Error(`expected a partial, got ${reply.kind}`);
    return structuredClone(reply.partial);
  }

  #ask(task: Task): TaskReply {
    const { reply } = this.#thread.handle(task).answer;
    if (reply.kind === 'error') throw AppError.from(reply.error);
    if (reply.kind === 'bug') throw new Error(reply.stack);
    return reply;
  }
}
