/** Messages between the thread that serves requests and the threads that run queries. Plain data. */
import { type ErrorData, AppError } from '../../base/errors.ts';
import type { Format, Page } from '../../dsl/format/answer.ts';
import type { Plan } from '../../dsl/plan/plan.ts';
import type { Observations, Table } from '../../dsl/plan/table.ts';
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
import { type RoomShare, NoRoom } from '../room.ts';
import { timeout } from '../query-end.ts';

/** What every task carries. */
interface TaskBase {
  /** The number of the run; `control` stops it by this number. */
  readonly run: number;
  /** Runs paused here that will not be resumed. */
  readonly drop: readonly number[];
}

export interface Limits {
  /** Bytes that this part may hold, and the whole query. */
  readonly memory: number;
  readonly queryMemory: number;
  readonly maxGroups: number;
  /** Its part of what all queries share; left out: only its own bound applies. */
  readonly room?: RoomShare;
  /** Milliseconds of `monotonic()`. */
  readonly deadline: number;
  /** Whoever makes the table writes its rows as text; null or left out: the table itself is wanted. */
  readonly format?: Format | null;
}

/** `sole`: the query's only part, which answers with the table. */
export interface PartTask extends TaskBase, Limits {
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
export interface RestTask extends TaskBase, Limits {
  readonly kind: 'rest';
  readonly plan: Plan;
  readonly shard: ShardAtRest;
}

/** Resumes a paused part. */
export interface ResumeTask extends TaskBase {
  readonly kind: 'resume';
}

export interface MergeTask extends TaskBase, Limits {
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

/** Ends the thread; another replaces it. */
export interface EndTask extends TaskBase {
  readonly kind: 'end';
}

export type Task = PartTask | RestTask | ResumeTask | MergeTask | ForgetTask | ProbeTask | EndTask;

/** `bytes`: about how much of the partial crosses threads. */
export type Reply =
  | { readonly kind: 'partial'; readonly partial: PartialResult; readonly bytes: number; readonly seen: PartSeen }
  | { readonly kind: 'page'; readonly page: Page; readonly seen: PartSeen }
  | { readonly kind: 'table'; readonly table: Table; readonly seen: PartSeen }
  | { readonly kind: 'snapshot'; readonly snapshot: Snapshot }
  /** Others wait for the thread; the part must be resumed there. */
  | { readonly kind: 'paused' }
  /** The part to resume is not there: the thread was replaced. */
  | { readonly kind: 'lost' }
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
  readonly ms: number;
  readonly cacheBytes: number;
  /** Of a shard at rest: what was made of it. */
  readonly snapshot?: Snapshot;
  /** With a page of which something was not seen: the names in the project, unless there are very many. */
  readonly names?: ShardCatalog | null;
  /** With the same page: those of the unseen events that are stored, unless the project is large. */
  readonly spans?: readonly EventSpan[];
  /** For a choice: what the notes say about who saw which variant. */
  readonly exposures?: NonNullable<Observations['exposures']>;
}

/** Indices into the Int32Array that a thread shares with the event loop. */
export const CONTROL = {
  /** The run to stop. */
  stop: 0,
  /** Other tasks that wait for the thread. */
  waiting: 1,
  /** 1 once the thread has started. */
  up: 2,
  /** MiB that the thread keeps between tasks. */
  kept: 3,
} as const;
export const CONTROL_LENGTH = 4;

/** What a thread is started with. */
export interface ThreadOptions {
  readonly control: SharedArrayBuffer;
  /** Bytes of decoded columns that the thread keeps. */
  readonly cacheBytes: number;
  /** Shard files that it may keep open. */
  readonly readShards: number;
  /** Steps by which it is less urgent than others when processors are short. */
  readonly yields: number;
}

/** What a query asks for, and its range has none of. */
export interface Unseen {
  readonly events: readonly string[];
  readonly fields: readonly string[];
}

/** What no part saw. */
export function unseenByAll(parts: readonly Unseen[]): Unseen {
  const [first, ...others] = parts;
  if (first === undefined) return { events: [], fields: [] };
  return {
    events: first.events.filter((event) => others.every(({ events }) => events.includes(event))),
    fields: first.fields.filter((field) => others.every(({ fields }) => fields.includes(field))),
  };
}

/** What a part of a query found. */
export type PartReply = Reply & { readonly kind: 'partial' | 'table' | 'page'; readonly seen: PartSeen };

/** Throws for any other reply: the thread has answered another question. */
export function partReply(reply: Reply): PartReply {
  if (reply.kind === 'partial' || reply.kind === 'table' || reply.kind === 'page') return reply;
  throw new Error(`a part answered ${reply.kind}`);
}

/** Throws if the part, as the only one, has made the rows. */
export function partialOf(reply: PartReply): PartialResult {
  if (reply.kind !== 'partial') throw new Error(`one of several parts answered with a ${reply.kind}`);
  return reply.partial;
}

/** Throws the failure that a reply reports. */
export function opened(reply: Reply): Reply {
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
