/** What the thread that serves requests and the threads that run queries say to each other. Plain data. */
import type { ErrorData } from '../../base/errors.ts';
import type { Format, Page } from '../../dsl/format/answer.ts';
import type { Plan } from '../../dsl/plan/plan.ts';
import type { Table } from '../../dsl/plan/table.ts';
import type { SegmentSummary, Snapshot } from '../../shards/shard-reader.ts';
import type { Exposures } from '../kernels/choice/choice-partial.ts';
import type { PartialResult } from '../kernels/contract.ts';
import type { Unseen } from '../observer.ts';
import type { Slice } from '../query-context.ts';
import type { RoomShare } from '../room.ts';

/** What every task carries. */
interface TaskBase {
  /** The number of the run; `control` names it to stop it. */
  readonly run: number;
  /** Runs that were paused here and will not be gone on with. */
  readonly drop: readonly number[];
}

interface Limits {
  /** Bytes that this part may hold, and the whole query. */
  readonly memory: number;
  readonly queryMemory: number;
  readonly maxGroups: number;
  /** Its part of what all queries share; left out: it has no bound but its own. */
  readonly room?: RoomShare;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** Whoever makes the table writes its rows as text; null or left out: it is wanted as it is. */
  readonly format?: Format | null;
}

/** `sole`: it is the query's only part, and answers with the table. */
export interface PartTask extends TaskBase, Limits {
  readonly kind: 'part';
  readonly plan: Plan;
  readonly snapshot: Snapshot;
  readonly segments: readonly SegmentSummary[];
  readonly elsewhere: readonly SegmentSummary[];
  readonly slice: Slice;
  readonly sole: boolean;
}

/** Goes on with a paused part. */
export interface ResumeTask extends TaskBase {
  readonly kind: 'resume';
}

export interface MergeTask extends TaskBase, Limits {
  readonly kind: 'merge';
  readonly plan: Plan;
  /** Of the parts: texts that they left as codes are read from it. */
  readonly snapshot: Snapshot;
  readonly partials: readonly PartialResult[];
}

/** Lets go of all that is kept of a project. */
export interface ForgetTask extends TaskBase {
  readonly kind: 'forget';
  readonly project: string;
}

/** Does something small of each kind that queries need, to find out whether it can. */
export interface ProbeTask extends TaskBase {
  readonly kind: 'probe';
}

/** Ends the thread, which another takes the place of. */
export interface EndTask extends TaskBase {
  readonly kind: 'end';
}

export type Task = PartTask | ResumeTask | MergeTask | ForgetTask | ProbeTask | EndTask;

/** `bytes`: what crosses threads of the partial, about. */
export type Reply =
  | { readonly kind: 'partial'; readonly partial: PartialResult; readonly bytes: number; readonly seen: PartSeen }
  | { readonly kind: 'page'; readonly page: Page; readonly seen: PartSeen }
  | { readonly kind: 'table'; readonly table: Table; readonly seen: PartSeen }
  /** Others wait for the thread; the part is to be resumed there. */
  | { readonly kind: 'paused' }
  /** What was to be resumed is not there: the thread is another one. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'stale' }
  /** The memory of queries does not suffice; `alone`: though no other query holds any. */
  | { readonly kind: 'no_room'; readonly alone: boolean }
  | { readonly kind: 'error'; readonly error: ErrorData }
  | { readonly kind: 'bug'; readonly message: string; readonly stack: string }
  | { readonly kind: 'done' };

export interface PartSeen {
  readonly unseen: Unseen;
  readonly rows: number;
  readonly ms: number;
  readonly cacheBytes: number;
  /** Of a choice: what the notes say of who saw which variant. */
  readonly exposures?: Exposures;
}

/** Places of the Int32Array that a thread shares with the event loop. */
export const CONTROL = {
  /** The run to stop. */
  stop: 0,
  /** Tasks of others that wait for the thread. */
  waiting: 1,
  /** 1 once the thread has started. */
  up: 2,
} as const;
export const CONTROL_LENGTH = 3;

/** What a thread is started with. */
export interface ThreadOptions {
  readonly control: SharedArrayBuffer;
  /** Bytes of decoded columns that the thread keeps. */
  readonly cacheBytes: number;
  /** Shard files that it may have open. */
  readonly readShards: number;
  /** Whether all others go first where processors are short: large questions come to it. */
  readonly yields: boolean;
}
