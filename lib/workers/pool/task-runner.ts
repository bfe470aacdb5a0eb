/** How a query thread runs its tasks. The state of paused parts stays here. */
import fs from 'node:fs';
import { monotonic } from '../../base/monotonic.ts';
import { zoneOf } from '../../dsl/plan/columns.ts';
import { formatPage } from '../../dsl/format/page.ts';
import type { Table } from '../../dsl/plan/table.ts';
import { AppError } from '../../base/errors.ts';
import { Hold } from '../../primitives/columns.ts';
import { checkShard } from '../../shards/upkeep/check.ts';
import { damaged, loadSqlite } from '../../shards/file/shard-file.ts';
import { StaleSnapshot, type Readable } from '../../shards/shard-reader.ts';
import { checkBeforeInflating } from '../../shards/segment/encoding/inflate-raw.ts';
import { eventSpans } from '../event-spans.ts';
import { Budget, outOfMemory } from '../budget.ts';
import { exposuresOf } from '../../dsl/finish/choice-results.ts';
import { kernelOf } from '../kernels/registry.ts';
import {
  CONTROL,
  type MergeTask,
  type PartSeen,
  type PartTask,
  type Reply,
  type RestTask,
  type Task,
} from './protocol.ts';
import { PartRun } from './part-run.ts';
import { QueryStopped, WHOLE, type RowContext } from '../query-context.ts';
import { isSmall, segmentsOf } from '../scheduler.ts';
import { NoRoom, Room } from '../room.ts';
import { sharedDictionary } from '../rows/field-column.ts';
import type { ShardReaders } from './shard-readers.ts';
import { transferOf } from './transferables.ts';
import { TestTables } from '../where/test-tables.ts';
import { getHeapStatistics } from 'node:v8';
import { collectHeap } from '../../base/young-buffers.ts';
import { bytesKept } from '../../primitives/memory.ts';

/** Where shards are read from: a class without its private parts, so that tests may have shards of their own. */
type Shards = Pick<ShardReaders, keyof ShardReaders>;

/** Work between two checks whether others wait. Milliseconds: short compared with what a person notices. */
const SLICE = 8;
const MIB = 1_048_576;
/** Bytes of test tables kept between queries. */
const TABLE_BYTES = 16 * 1_048_576;

/** A part, and its hold on the columns it has read. */
interface Held {
  readonly run: PartRun;
  readonly hold: Hold;
}

/** A reply and the buffers transferred with it. */
export interface Sent {
  readonly reply: Reply;
  readonly buffers: ArrayBuffer[];
}

export class TaskRunner {
  readonly #shards: Shards;
  readonly #control: Int32Array;
  readonly #tables = new TestTables(TABLE_BYTES);
  readonly #paused = new Map<number, Held>();

  constructor(shards: Shards, control: Int32Array) {
    this.#shards = shards;
    this.#control = control;
    Atomics.store(control, CONTROL.up, 1);
  }

  /** Never throws: failures become the reply. */
  handle(task: Task): Sent {
    for (const run of task.drop) this.#drop(run);
    const { file } = sourceOf(task) ?? this.#paused.get(task.run)?.run.task.snapshot ?? NO_SOURCE;
    try {
      checkBeforeInflating(this.#stopped(task.run));
      return this.#run(task);
    } catch (error) {
      this.#drop(task.run);
      return { reply: failure(error, file), buffers: [] };
    } finally {
      if (!this.#paused.has(task.run)) Atomics.store(this.#control, CONTROL.kept, Math.round(keptMemory() / MIB));
    }
  }

  #run(task: Task): Sent {
    switch (task.kind) {
      case 'part':
        return this.#start(task);
      case 'rest':
        return this.#startAtRest(task);
      case 'resume': {
        const held = this.#paused.get(task.run);
        return held === undefined ? { reply: { kind: 'lost' }, buffers: [] } : this.#advance(held);
      }
      case 'merge':
        return finished(task, this.#merge(task), NOTHING_SEEN);
      case 'forget':
        this.#shards.forget(task.project);
        this.#tables.clear(); // they do not know their project
        return { reply: { kind: 'done' }, buffers: [] };
      case 'probe':
        openSomething();
        return { reply: { kind: 'done' }, buffers: [] };
      case 'end':
        return process.exit(1);
    }
  }

  #drop(run: number): void {
    this.#paused.get(run)?.hold.release();
    this.#paused.delete(run);
  }

  #start(task: PartTask): Sent {
    const hold = new Hold();
    try {
      const run = new PartRun(task, {
        memory: hold,
        reader: this.#shards.reader(task.snapshot),
        tables: this.#tables,
        profiles: (take) => this.#shards.profiles(task.snapshot, take),
        room: this.#roomOf(task),
        checkpoint: this.#checkpoint(task),
      });
      return this.#advance({ run, hold });
    } finally {
      if (!this.#paused.has(task.run)) hold.release();
    }
  }

  #startAtRest({ shard, ...task }: RestTask): Sent {
    const snapshot = this.#shards.atRest(shard);
    const segments = segmentsOf(task.plan, snapshot);
    if (!isSmall(task.plan, [{ segments }])) return { reply: { kind: 'snapshot', snapshot }, buffers: [] };
    const whole = { elsewhere: [], slice: WHOLE, sole: true, isNew: true };
    return this.#start({ ...task, kind: 'part', snapshot, segments, ...whole });
  }

  #advance(held: Held): Sent {
    const { run } = held;
    const { task } = run;
    const begun = performance.now();
    // What goes before it is done again after a pause, and must not be most of the work.
    const pause = (since = begun): boolean =>
      Atomics.load(this.#control, CONTROL.waiting) > 0 && performance.now() - since >= Math.max(SLICE, since - begun);
    const finished = run.advance(pause);
    run.ms += performance.now() - begun;
    if (!finished) {
      this.#paused.set(task.run, held);
      return { reply: { kind: 'paused' }, buffers: [] };
    }
    const sent = this.#finish(run);
    this.#drop(task.run);
    return sent;
  }

  #finish(run: PartRun): Sent {
    const { task } = run;
    const begun = performance.now();
    const partial = run.partial();
    const table = task.sole ? kernelOf(task.plan).answer([partial], run.context) : null;
    const { unseen } = run;
    const isNoted = table !== null && (task.format ?? null) !== null && unseen.events.length + unseen.fields.length > 0;
    const seen = {
      unseen,
      rows: run.rows,
      ms: run.ms + (performance.now() - begun),
      cacheBytes: this.#shards.cacheBytes,
      ...(task.isNew === true ? { snapshot: task.snapshot } : {}),
      ...(isNoted ? namesAndSpans(run) : {}),
      ...(partial.kind === 'choice' ? { exposures: exposuresOf(partial.tallies, partial.several) } : {}),
    };
    if (table !== null) return finished(task, table, seen);
    const { buffers, bytes } = transferOf(partial);
    return { reply: { kind: 'partial', partial, bytes, seen }, buffers };
  }

  #merge(task: MergeTask): Table {
    const memory = new Hold();
    try {
      const reader = this.#shards.reader(task.snapshot);
      const tools = {
        ...{ tables: this.#tables, checkpoint: this.#checkpoint(task), memory, room: this.#roomOf(task) },
        sharedDictionary: (key: string) => sharedDictionary(reader, key),
      };
      return kernelOf(task.plan).answer(task.partials, mergeContext(task, tools));
    } finally {
      memory.release();
    }
  }

  /** The room of a task; cached columns make way where queries need it. */
  #roomOf({ room: share }: PartTask | MergeTask): Room | null {
    if (share === undefined) return null;
    const room: Room = new Room(share, () => this.#shards.leaveRoom(room.free));
    this.#shards.leaveRoom(room.free);
    return room;
  }

  /** Throws when the run must stop: its thread may be ended soon. */
  #stopped(run: number): () => void {
    return () => {
      if (Atomics.load(this.#control, CONTROL.stop) === run) throw new QueryStopped();
    };
  }

  #checkpoint({ run, deadline }: PartTask | MergeTask): () => void {
    return () => {
      if (Atomics.load(this.#control, CONTROL.stop) === run || monotonic() > deadline) throw new QueryStopped();
    };
  }
}

/** What a task reads; null: what it did before, or nothing. */
function sourceOf(task: Task): Readable | null {
  return task.kind === 'rest' ? task.shard : 'snapshot' in task ? task.snapshot : null;
}

const NO_SOURCE = { file: null };

/** What notes say of what was not seen, while the file is open. */
function namesAndSpans({ context, task, unseen }: PartRun): Pick<PartSeen, 'names' | 'spans'> {
  const { reader } = context;
  return { names: reader.names(), spans: eventSpans(reader, task.snapshot, unseen.events) };
}

/** The answer of a query in the form asked for. */
function finished({ format = null, plan }: PartTask | MergeTask, table: Table, seen: PartSeen): Sent {
  if (format === null) return { reply: { kind: 'table', table, seen }, buffers: [] };
  const page = formatPage(format, table, plan.zone);
  return { reply: { kind: 'page', page, seen }, buffers: [page.text.buffer] };
}

/** What merging and finishing need, in any thread. */
export function mergeContext(
  task: Pick<MergeTask, 'plan' | 'memory' | 'queryMemory' | 'maxGroups'>,
  {
    room,
    ...tools
  }: Pick<RowContext, 'tables' | 'checkpoint' | 'memory' | 'sharedDictionary'> & { readonly room?: Room | null },
): RowContext {
  return {
    plan: task.plan,
    zone: zoneOf(task.plan),
    budget: new Budget(task.memory, task.queryMemory, room ?? null),
    maxGroups: task.maxGroups,
    elsewhere: [],
    ...tools,
  };
}

/** Throws when no file can be opened, or SQLite does not work. */
function openSomething(): void {
  fs.closeSync(fs.openSync(import.meta.filename, 'r'));
  loadSqlite();
}

const NOTHING_SEEN = { unseen: { events: [], fields: [] }, rows: 0, ms: 0, cacheBytes: 0 };

/** @param file The shard that was read: if it is damaged, the error is not a bug. */
function failure(error: unknown, file: string | null): Reply {
  if (error instanceof QueryStopped) return { kind: 'stopped' };
  if (error instanceof StaleSnapshot) return { kind: 'stale' };
  if (error instanceof NoRoom) return { kind: 'no_room', alone: error.alone };
  if (error instanceof AppError) return { kind: 'error', error: error.data };
  if (error instanceof RangeError && /(?:array|string) (?:buffer )?(?:length|allocation)/i.test(error.message)) {
    return { kind: 'error', error: outOfMemory().data };
  }
  if (file !== null && checkShard(file).length > 0) return { kind: 'error', error: damaged(error, file).data };
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  return { kind: 'bug', message, stack };
}

/**
 * Bytes of a heap that is collected after a task rather than when V8 does so: that lets heaps triple, and an idle thread's stay. Few
 * questions leave so much, and they take seconds.
 */
const LARGE_HEAP = 128 << 20;

/** Of the heap when it was last collected: what is alive is not collected again and again. */
let alive = 0;

/** Bytes; call after a task. */
function keptMemory(): number {
  let heap = getHeapStatistics().total_heap_size;
  if (heap > Math.max(LARGE_HEAP, 2 * alive)) {
    collectHeap();
    heap = alive = getHeapStatistics().total_heap_size;
  }
  return heap + bytesKept();
}
