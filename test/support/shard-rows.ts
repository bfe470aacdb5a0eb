/** A writer without its thread, and a shard's rows as plain objects, for tests of lib/shards. */
import { monotonic } from '../../lib/base/monotonic.ts';
import { failure } from '../../lib/shards/seal/answers.ts';
import { ColumnCache } from '../../lib/shards/segment/column-cache.ts';
import type { Snapshot } from '../../lib/shards/shard-reader.ts';
import { ConnectionPool } from '../../lib/shards/file/connections.ts';
import { eraseFromShard } from '../../lib/shards/erase/erase-shard.ts';
import type { Erased } from '../../lib/shards/erase/erase.ts';
import { StoredShardReader } from '../../lib/shards/read/stored-shard-reader.ts';
import { openForReading } from '../../lib/shards/file/shard-file.ts';
import { runStoreTask, type StoreTask } from '../../lib/shards/seal/store-tasks.ts';
import { replayUnloaded } from '../../lib/shards/writer/replay-unloaded.ts';
import { RequestReader } from '../../lib/shards/writer/request-steps.ts';
import type { TaskOutcome, Storing } from '../../lib/shards/storer.ts';
import type { Unnumbered } from '../../lib/shards/writer/writer-client.ts';
import type {
  AppendAnswer,
  CompactionTask,
  UsageDay,
  WriterMessage,
  WriterOptions,
  WriterReply,
} from '../../lib/shards/writer-messages.ts';
import { Writer } from '../../lib/shards/writer/writer.ts';

export const PROJECT = {
  id: 'prj_test',
  orgId: 'org_test',
  weight: 1,
  retentionDays: null,
  ipPolicy: 'anonymized',
} as const;
export const NOW = Date.UTC(2026, 5, 1, 12);

export const OPTIONS: Omit<WriterOptions, 'folder'> = {
  partition: 0,
  partitions: 1,
  bodyLimit: 5 << 20,
  batchLimit: 2000,
  lineLimit: 1 << 20,
  openShards: 4,
  dictionaryBytes: 64 << 20,
  projectDictionaryBytes: 64 << 20,
  sealRows: 1_000_000,
  sealBytes: 64 << 20,
  sealAge: 600_000,
  pendingBytes: 256 << 20,
  journalBytes: 256 << 20,
  segmentRows: 1000,
  geoipFile: null,
};

export type Sent = Record<string, unknown>;

/** Runs tasks as soon as they arrive. */
const AT_ONCE: Storing = {
  run: (_tenant, file, task, done) => done(outcomeOf(file, task)),
  close: (done) => done(),
};

/** Runs a task of a writer, as the store thread does. */
export function outcomeOf(file: string, task: StoreTask): TaskOutcome {
  try {
    return { ok: true, value: structuredClone(runTask(file, task)) };
  } catch (error) {
    return failure(0, error) as TaskOutcome;
  }
}

function runTask(file: string, task: StoreTask): unknown {
  if (task.op !== 'replay') return runStoreTask(file, task);
  return replayUnloaded(file, task, { ...OPTIONS, reader: new RequestReader(OPTIONS) });
}

/** Sends messages and keeps the replies. */
export class WriterProbe {
  readonly writer: Writer;
  readonly replies: WriterReply[] = [];
  /** Whether a test gives each turn (`turns`); else they are taken at once. */
  stepwise = false;
  /** Whether further messages wait for the writer. */
  more = false;
  #next = 1;
  #isDelivering = false;

  /** @param storing Default: tasks of the store thread run at once. */
  constructor(folder: string, options: Partial<WriterOptions> = {}, storing: Storing = AT_ONCE) {
    this.writer = new Writer(
      { ...OPTIONS, ...options, folder },
      {
        post: (reply) => this.replies.push(reply),
        wake: () => this.#work(),
        storing,
        more: () => this.more,
      },
    );
  }

  /** Delivers messages, and gives as many turns as there are. */
  process(messages: Iterable<WriterMessage>): void {
    let count = 0;
    for (const message of messages) {
      this.#isDelivering = true;
      this.writer.deliver(message);
      this.#isDelivering = false;
      count++;
    }
    if (this.stepwise) this.turns(count);
    else this.#work();
  }

  /** Gives so many turns, or as many as there are. */
  turns(most: number): void {
    let left = most;
    this.writer.work(() => left-- > 0);
  }

  #work(): void {
    if (this.stepwise || this.#isDelivering) return;
    do this.writer.work();
    while (this.writer.isReady);
  }

  /** The value of the answer; throws the error in it. */
  ask<T>(message: Unnumbered<WriterMessage>): T {
    const id = this.#next++;
    this.process([{ ...message, id } as WriterMessage]);
    if (message.op === 'append') this.process([{ op: 'catalog', id: this.#next++, project: message.project }]); // waits for the disk
    for (const reply of this.replies) {
      if (reply.op !== 'done') continue;
      const answer = reply.answers.find((one) => one.id === id);
      if (!answer) continue;
      if (answer.ok) return answer.value as T;
      throw new Error('bug' in answer.error ? answer.error.bug : `${answer.error.code}: ${answer.error.message}`);
    }
    throw new Error('no answer');
  }

  track(events: readonly unknown[], receivedAt = NOW, project: string = PROJECT.id): AppendAnswer {
    return this.append('track', JSON.stringify({ events }), receivedAt, project);
  }

  identify(body: Sent, receivedAt = NOW): AppendAnswer {
    return this.append('identify', JSON.stringify(body), receivedAt);
  }

  append(
    kind: 'track' | 'identify' | 'track_lines' | 'identify_lines' | 'unbind',
    body: string,
    receivedAt = NOW,
    project: string = PROJECT.id,
  ): AppendAnswer {
    return this.ask<AppendAnswer>({
      op: 'append',
      kind,
      project: { ...PROJECT, id: project },
      encoding: 'identity',
      body: new Uint8Array(Buffer.from(body)),
      context: { receivedAt, keyKind: 'trusted', ip: null, userAgent: null, place: null },
    });
  }

  snapshot(project: string = PROJECT.id): Snapshot {
    return this.ask<{ snapshot: Snapshot }>({ op: 'snapshot', project }).snapshot;
  }

  erase(userId: string, project: string = PROJECT.id): Erased {
    const snapshot = this.ask<Snapshot>({ op: 'freeze', project });
    const erased = eraseFromShard(snapshot, { userId });
    this.ask({ op: 'thaw', project });
    return erased;
  }

  /** What the writer's thread has it do once a second. */
  tick(now: number): void {
    Array.from(this.writer.housekeeping(now));
  }

  /** Bytes of the project's dictionaries in memory, as the writer counts them. */
  memory(): number {
    this.tick(Date.now());
    return this.replies.flatMap((reply) => (reply.op === 'stats' ? reply.stats.dictionaryBytes : [])).at(-1)!;
  }

  /** Compactions that the writer requested and nobody has done yet. */
  takeCompactions(): CompactionTask[] {
    const compactions = this.replies.flatMap((reply) => (reply.op === 'compact' ? [reply.task] : []));
    this.replies.splice(0, this.replies.length, ...this.replies.filter((reply) => reply.op !== 'compact'));
    return compactions;
  }

  usage(): UsageDay[] {
    while (this.writer.loading.replayNext()); // as its thread does
    this.tick(monotonic());
    return this.replies.flatMap((reply) => (reply.op === 'usage' ? reply.days : []));
  }
}

export function openReader(snapshot: Snapshot): StoredShardReader {
  return new StoredShardReader(snapshot, new ConnectionPool(openForReading, 2), new ColumnCache(64 << 20));
}

export interface Row {
  readonly type: string;
  readonly user: string | null;
  readonly device: string | null;
  readonly session: string | null;
  readonly person: string | null;
  readonly time: number;
  readonly arrival: number;
  readonly insertId: string;
  readonly properties: Record<string, unknown>;
}

/** All rows of a snapshot, segment by segment. */
export function rowsOf(snapshot: Snapshot): Row[] {
  const reader = openReader(snapshot);
  const identity = reader.identity(snapshot.identityVersion);
  const rows = snapshot.segments.flatMap(({ id }) => {
    const segment = reader.segment(id);
    const text = (key: string, row: number): string | null => {
      const column = segment.column(key);
      const code = column?.codes?.[row] ?? 0;
      return code === 0 ? null : column!.dictionary!.text(code);
    };
    const persons = segment.persons(identity);
    return Array.from({ length: segment.rows }, (_, row): Row => {
      const properties: Record<string, unknown> = {};
      for (const key of segment.columnKeys()) {
        if (!key.startsWith('p:')) continue;
        const column = segment.column(key)!;
        const code = column.codes?.[row] ?? 0;
        if (code !== 0) properties[key.slice(2)] = `${column.dictionary!.type(code)} ${column.dictionary!.text(code)}`;
        const at = column.numbers ? (column.numbers.rows ? column.numbers.rows.indexOf(row) : row) : -1;
        if (at >= 0) properties[key.slice(2)] = column.numbers!.values[at];
      }
      return {
        type: text('event_type', row)!,
        user: text('user_id', row),
        device: text('device_id', row),
        session: text('session_id', row),
        person: persons[row] === 0 ? null : reader.ids().text(persons[row]!),
        time: segment.times()[row]!,
        arrival: segment.arrivals()[row]!,
        insertId: segment.insertIds().text(row),
        properties,
      };
    });
  });
  reader.forget();
  return rows;
}
