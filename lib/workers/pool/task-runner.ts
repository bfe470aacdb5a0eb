/** How a query thread runs its tasks. */
import fs from 'node:fs';
import { threadId } from 'node:worker_threads';
import { monotonic } from '../../base/monotonic.ts';
import { askedMetrics, zoneOf } from '../../dsl/plan/columns.ts';
import { formatPage } from '../../dsl/format/page.ts';
import type { Table } from '../../dsl/plan/table.ts';
import { AppError } from '../../base/errors.ts';
import { Hold } from '../../primitives/columns.ts';
import { checkShard } from '../../shards/upkeep/check.ts';
import { damaged, loadSqlite } from '../../shards/file/shard-file.ts';
import { StaleSnapshot } from '../../shards/shard-reader.ts';
import { checkBeforeInflating } from '../../shards/segment/encoding/inflate-raw.ts';
import { eventSpans } from '../event-spans.ts';
import { Budget, outOfMemory } from '../budget.ts';
import { bytesOfEarlier, packRows, withEarlierRows } from '../earlier-rows.ts';
import { experimentOf } from '../../dsl/finish/choice-results.ts';
import type { Plan } from '../../dsl/plan/plan.ts';
import { personsWho } from '../kernels/did.ts';
import type { PartialResult } from '../kernels/partial-result.ts';
import { kernelOf } from '../kernels/registry.ts';
import type { MergeTask, PartSeen, PartTask, TaskReply, RestTask, Task, ThreadReply } from './protocol.ts';
import { PartRun } from './part-run.ts';
import { QueryStopped, WHOLE, type RowContext } from '../query-context.ts';
import { isSmall, segmentsOf } from '../scheduler.ts';
import { NoRoom, Room } from '../room.ts';
import type { ProfileDictionaries } from '../rows/profile-dictionaries.ts';
import { sharedDictionary } from '../rows/field-column.ts';
import type { ShardReaders } from './shard-readers.ts';
import { transferOf } from './transferables.ts';
import type { PersonSet } from '../where/person-tables.ts';
import { TestTables } from '../where/test-tables.ts';
import { getHeapStatistics } from 'node:v8';
import { bytesKept } from '../../primitives/memory.ts';

/** Where shards are read from: a class without its private parts, so that tests may have shards of their own. */
type Shards = Pick<ShardReaders, keyof ShardReaders>;

/** Bytes of test tables kept between queries. */
const TABLE_BYTES = 16 * 1_048_576;

/** A reply and the buffers transferred with it. */
interface Sent {
  readonly reply: TaskReply;
  readonly buffers: ArrayBuffer[];
}

export class TaskRunner {
  readonly #shards: Shards;
  readonly #tables = new TestTables(TABLE_BYTES);

  constructor(shards: Shards) {
    this.#shards = shards;
  }

  /** Never throws: failures become the reply. */
  handle(task: Task): { readonly answer: ThreadReply; readonly buffers: ArrayBuffer[] } {
    const { reply, buffers } = this.#sent(task);
    return {
      answer: { reply, thread: threadId, kept: keptMemory(), cacheBytes: this.#shards.cacheBytes },
      buffers,
    };
  }

  #sent(task: Task): Sent {
    try {
      checkBeforeInflating(() => checkStop(task));
      return this.#run(task);
    } catch (error) {
      return { reply: failure(error, fileOf(task)), buffers: [] };
    }
  }

  #run(task: Task): Sent {
    switch (task.kind) {
      case 'part':
        return this.#runPart(withEarlierRows(task));
      case 'rest':
        return this.#startAtRest(task);
      case 'merge':
        return this.#merge(withEarlierRows(task));
      case 'forget':
        this.#shards.forget(task.project);
        this.#tables.clear(); // they do not know their project
        return { reply: { kind: 'done' }, buffers: [] };
      case 'probe':
        openSomething();
        return { reply: { kind: 'done' }, buffers: [] };
    }
  }

  #runPart(task: PartTask): Sent {
    using memory = new Hold();
    const run = new PartRun(task, {
      memory,
      reader: this.#shards.reader(task.snapshot),
      tables: this.#tables,
      profiles: (take) => this.#shards.profiles(task.snapshot, take),
      room: this.#roomOf(task),
      checkpoint: () => checkTask(task),
    });
    run.readSegments();
    return finish(run);
  }

  #startAtRest({ shard, ...task }: RestTask): Sent {
    const snapshot = this.#shards.atRest(shard);
    const segments = segmentsOf(task.plan, snapshot);
    if (!isSmall(task.plan, [{ segments }])) return { reply: { kind: 'snapshot', snapshot }, buffers: [] };
    const whole = { elsewhere: [], slice: WHOLE, sole: true, isNew: true };
    return this.#runPart(withEarlierRows({ ...task, kind: 'part', snapshot, segments, ...whole }));
  }

  #merge(task: MergeTask): Sent {
    using memory = new Hold();
    const reader = this.#shards.reader(task.snapshot);
    const tools = {
      ...{ tables: this.#tables, checkpoint: () => checkTask(task), memory, room: this.#roomOf(task) },
      sharedDictionary: (key: string) => sharedDictionary(reader, key),
      profiles: (take: (bytes: number) => void) => this.#shards.profiles(task.snapshot, take),
    };
    return finished(task, answerOf(task.plan, task.partials, mergeContext(task, tools)), NOTHING_SEEN);
  }

  /** The room of a task; cached columns make way where queries need it. */
  #roomOf({ room: share }: PartTask | MergeTask): Room | null {
    if (share === undefined) return null;
    const room: Room = new Room(share, () => this.#shards.leaveRoom(room.free));
    this.#shards.leaveRoom(room.free);
    return room;
  }
}

/** Throws when nobody waits for the answer any longer. */
function checkStop({ stop }: Task): void {
  if (Atomics.load(stop, 0) === 1) throw new QueryStopped();
}

/** Throws then, and at the deadline. */
function checkTask(task: PartTask | MergeTask): void {
  checkStop(task);
  if (monotonic() > task.deadline) throw new QueryStopped();
}

/** The shard that a task reads; null: none. */
function fileOf(task: Task): string | null {
  return task.kind === 'rest' ? task.shard.file : 'snapshot' in task ? task.snapshot.file : null;
}

/** The answer of a part that has read its segments. */
function finish(run: PartRun): Sent {
  const { task } = run;
  const begun = performance.now();
  const partial = run.partial();
  const found = task.sole ? answerOf(task.plan, [partial], run.context) : null;
  const { unseen } = run;
  const isNoted = found !== null && (task.format ?? null) !== null && unseen.events.length + unseen.fields.length > 0;
  const seen = {
    unseen,
    rows: run.rows,
    ...(run.bots === 0 ? {} : { bots: run.bots }),
    ms: run.ms + (performance.now() - begun),
    ...(task.isNew === true ? { snapshot: task.snapshot } : {}),
    ...(isNoted ? namesAndSpans(run) : {}),
    ...(partial.kind === 'table' && partial.sessions !== undefined ? { sessions: partial.sessions } : {}),
    ...(partial.kind === 'choice' && task.plan.kind === 'choice'
      ? { experiment: experimentOf(task.plan, partial.tallies, partial.several) }
      : {}),
  };
  if (found !== null) return finished(task, found, seen);
  const { buffers, ...sent } = transferOf(partial);
  return { reply: { kind: 'partial', ...sent, seen }, buffers };
}

/** What notes say of what was not seen, while the file is open. */
function namesAndSpans({ context, task, unseen }: PartRun): Pick<PartSeen, 'names' | 'spans'> {
  const { reader } = context;
  return { names: reader.names(), spans: eventSpans(reader, task.snapshot, unseen.events) };
}

/** The table of a plan, or the persons that one asks for. */
function answerOf(plan: Plan, partials: readonly PartialResult[], context: RowContext): Table | PersonSet['passes'] {
  return plan.kind === 'did' ? personsWho(plan, partials, context) : kernelOf(plan).answer(partials, context);
}

/** The answer of a query in the form asked for. */
function finished(
  { format = null, plan }: PartTask | MergeTask,
  table: ReturnType<typeof answerOf>,
  seen: PartSeen,
): Sent {
  if (table instanceof Uint8Array) return { reply: { kind: 'persons', passes: table, seen }, buffers: [] };
  if (format === null) return { reply: { kind: 'table', table, seen }, buffers: [] };
  if (format === 'rows') {
    const rows = packRows(table);
    return { reply: { kind: 'rows', rows, seen }, buffers: [rows.buffer] };
  }
  const page = formatPage(format, table, plan.zone, askedMetrics(plan));
  return { reply: { kind: 'page', page, seen }, buffers: [page.text.buffer] };
}

/** What merging and finishing need, in any thread. */
export function mergeContext(
  task: Pick<MergeTask, 'plan' | 'memory' | 'queryMemory' | 'maxGroups' | 'earlier'>,
  {
    room,
    profiles,
    ...tools
  }: Pick<RowContext, 'tables' | 'checkpoint' | 'memory' | 'sharedDictionary'> & {
    readonly room?: Room | null;
    readonly profiles: (take: (bytes: number) => void) => ProfileDictionaries;
  },
): RowContext {
  const budget = new Budget(task.memory, task.queryMemory, room ?? null);
  budget.take(bytesOfEarlier(task.earlier));
  return {
    plan: task.plan,
    zone: zoneOf(task.plan),
    budget,
    maxGroups: task.maxGroups,
    elsewhere: [],
    personsWho: () => {
      throw new Error('conditions on persons are of events, which a merge does not read');
    },
    profiles: () => profiles((bytes) => budget.take(bytes)),
    ...tools,
  };
}

/** Throws when no file can be opened, or SQLite does not work. */
function openSomething(): void {
  fs.closeSync(fs.openSync(import.meta.filename, 'r'));
  loadSqlite();
}

const NOTHING_SEEN = { unseen: { events: [], fields: [], texts: [] }, rows: 0, ms: 0 };

/** @param file The shard that was read: if it is damaged, the error is not a bug. */
function failure(error: unknown, file: string | null): TaskReply {
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

/** Bytes that the thread has between two tasks. */
function keptMemory(): number {
  return getHeapStatistics().total_heap_size + bytesKept();
}
