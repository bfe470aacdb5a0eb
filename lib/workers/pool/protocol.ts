/** Messages between the thread that serves requests and the threads that run queries. Plain data. */
import { type ErrorData, AppError } from '../../base/errors.ts';
import type { AnswerFormat, Page } from '../../dsl/format/answer.ts';
import type { Plan } from '../../dsl/plan/plan.ts';
import type { Experiment, Observations, Table } from '../../dsl/plan/table.ts';
import {
  type SegmentSummary,
  type ShardAtRest,
  type ShardCatalog,
  type Snapshot,
  StaleSnapshot,
} from '../../shards/shard-reader.ts';
import type { PartialResult } from '../kernels/partial-result.ts';
import type { EventSpan } from '../event-spans.ts';
import type { Slice } from '../query-context.ts';
import type { MadeRows } from '../query-result.ts';
import { type RoomShare, NoRoom } from '../room.ts';
import { timeout } from '../query-end.ts';
import type { PersonSet } from '../where/person-tables.ts';

/** What every task carries. */
interface TaskBase {
  /** Its only element becomes 1 when nobody waits for the answer any longer. */
  readonly stop: StopCell;
}

type StopCell = Int32Array<SharedArrayBuffer>;

export const newStop = (): StopCell => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

export interface PartLimits {
  /** Bytes that this part may hold, and the whole query. */
  readonly memory: number;
  readonly queryMemory: number;
  readonly maxGroups: number;
  /** Its part of what all queries share; left out: only its own bound applies. */
  readonly room?: RoomShare;
  /** Milliseconds of `monotonic()`. */
  readonly deadline: number;
  /** Whoever makes the table writes its rows as text; `rows`: as bytes for a comparison; null or left out: the table itself is wanted. */
  readonly format?: AnswerFormat | 'rows' | null;
  /** Rows to compare with, for whoever makes the table. */
  readonly earlier?: Uint8Array<ArrayBuffer> | null;
  /** Those of whom conditions of the plan are true. */
  readonly persons?: readonly PersonSet[];
}

/** `sole`: the query's only part, which answers with the table. */
export interface PartTask extends TaskBase, PartLimits {
  readonly kind: 'part';
  readonly plan: Plan;
  readonly snapshot: Snapshot;
  readonly segments: readonly SegmentSummary[];
  readonly elsewhere: readonly SegmentSummary[];
  readonly slice: Slice;
  readonly sole: boolean;
  /** The thread made the snapshot, and returns it with its answer. */
  readonly isNew?: boolean;
}

/** A query over a shard at rest: a small one is answered, as by its only part; for others there is the snapshot. */
export interface RestTask extends TaskBase, PartLimits {
  readonly kind: 'rest';
  readonly plan: Plan;
  readonly shard: ShardAtRest;
}

export interface MergeTask extends TaskBase, PartLimits {
  readonly kind: 'merge';
  readonly plan: Plan;
  /** The parts' snapshot: texts that they left as codes are read from it. */
  readonly snapshot: Snapshot;
  readonly partials: readonly PartialResult[];
}

/** Drops everything cached for a project. */
export interface ForgetTask extends TaskBase {
  readonly kind: 'forget';
  readonly project: string;
}

/** Does something small of each kind that queries need, to find out whether it works. */
export interface ProbeTask extends TaskBase {
  readonly kind: 'probe';
}

export type Task = PartTask | RestTask | MergeTask | ForgetTask | ProbeTask;

/** A reply, and what its thread has now. */
export interface ThreadReply {
  readonly reply: TaskReply;
  /** Its id. */
  readonly thread: number;
  /** Bytes that it keeps between tasks. */
  readonly kept: number;
  /** Bytes of decoded columns among them. */
  readonly cacheBytes: number;
}

/** `bytes`: about how much of the partial crosses threads. */
export type TaskReply =
  | { readonly kind: 'partial'; readonly partial: PartialResult; readonly bytes: number; readonly seen: PartSeen }
  | { readonly kind: 'page'; readonly page: Page; readonly seen: PartSeen }
  | { readonly kind: 'table'; readonly table: Table; readonly seen: PartSeen }
  | { readonly kind: 'rows'; readonly rows: Uint8Array<ArrayBuffer>; readonly seen: PartSeen }
  | { readonly kind: 'persons'; readonly passes: PersonSet['passes']; readonly seen: PartSeen }
  | { readonly kind: 'snapshot'; readonly snapshot: Snapshot }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'stale' }
  /** The memory for queries does not suffice; `alone`: although no other query holds any. */
  | { readonly kind: 'no_room'; readonly alone: boolean }
  | { readonly kind: 'error'; readonly error: ErrorData }
  | { readonly kind: 'bug'; readonly message: string; readonly stack: string }
  | { readonly kind: 'done' };

export interface PartSeen {
  readonly unseen: Unseen;
  readonly rows: number;
  /** As of Observations; left out: none. */
  readonly bots?: number;
  readonly ms: number;
  /** Of a shard at rest: what was made of it. */
  readonly snapshot?: Snapshot;
  /** With a page of which something was not seen: the names in the project, unless there are very many. */
  readonly names?: ShardCatalog | null;
  /** With the same page: those of the unseen events that are stored, unless the project is large. */
  readonly spans?: readonly EventSpan[];
  /** For sessions: what the notes say about events without one, and about ids that devices share. */
  readonly sessions?: NonNullable<Observations['sessions']>;
  /** For a choice: what the notes say about it. */
  readonly experiment?: Experiment;
}

/** What a thread is started with. */
export interface ThreadOptions {
  /** Bytes of decoded columns that the thread keeps. */
  readonly cacheBytes: number;
  /** Shard files that it may keep open. */
  readonly readShards: number;
  /** Whether it is less urgent than others when processors are short. */
  readonly yields: boolean;
}

/** What a query asks for, and its range has none of; and fields of which numbers are taken that have other values, too. */
export interface Unseen {
  readonly events: readonly string[];
  readonly fields: readonly string[];
  readonly texts: readonly string[];
}

/** What no part saw. */
export function unseenByAll(parts: readonly Unseen[]): Unseen {
  const [first, ...others] = parts;
  if (first === undefined) return { events: [], fields: [], texts: [] };
  const sets = others.map((other) => ({ events: new Set(other.events), fields: new Set(other.fields) }));
  return {
    events: first.events.filter((event) => sets.every(({ events }) => events.has(event))),
    fields: first.fields.filter((field) => sets.every(({ fields }) => fields.has(field))),
    texts: [...new Set(parts.flatMap(({ texts }) => texts))],
  };
}

/** What a part of a query found. */
export type PartReply = TaskReply & { readonly kind: 'partial' | MadeRows['kind']; readonly seen: PartSeen };

/** Throws for any other reply: the thread has answered another question. */
export function partReply(reply: TaskReply): PartReply {
  if (reply.kind === 'partial' || isMade(reply)) return reply;
  throw new Error(`a part answered ${reply.kind}`);
}

/** Whether it is what the rows of an answer were made into. */
export const isMade = (reply: TaskReply): reply is Extract<TaskReply, MadeRows> =>
  MADE.some((kind) => kind === reply.kind);

const MADE = ['table', 'page', 'rows', 'persons'] as const satisfies readonly MadeRows['kind'][];

/** Throws if the part, as the only one, has made the rows. */
export function partialOfReply(reply: PartReply): PartialResult {
  if (reply.kind !== 'partial') throw new Error(`one of several parts answered with a ${reply.kind}`);
  return reply.partial;
}

/** Throws the failure that a reply reports. */
export function unlessFailed(reply: TaskReply): TaskReply {
  switch (reply.kind) {
    case 'error':
      throw AppError.from(reply.error);
    case 'stale':
      throw new StaleSnapshot();
    case 'no_room':
      throw new NoRoom(reply.alone);
    case 'stopped':
      throw timeout();
    case 'bug': {
      const error = new Error(reply.message);
      error.stack = reply.stack;
      throw error;
    }
    default:
      return reply;
  }
}
