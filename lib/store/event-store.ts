/**
 * The seam between the service and where events live. The embedded store (shards in SQLite files, lib/store/embedded-store.ts)
 * is the one implementation; a store on a ClickHouse cluster is meant to be the other. Nothing above knows SQLite of shards.
 */
import type { ErrorData } from '../base/errors.ts';
import type { Format } from '../dsl/format/answer.ts';
import type { UsageTotals } from '../base/usage-totals.ts';
import type { Plan } from '../dsl/plan/plan.ts';
import type { ProjectRef } from '../base/project.ts';
import type { Location, RequestContext } from '../shards/request.ts';
import type { DeviceBindings } from '../shards/writer-messages.ts';
import type { PageResult, QueryOptions, QueryResult } from '../workers/query-result.ts';

export type { UsageTotals };
export type { DeviceBindings, PageResult, Location, QueryOptions, RequestContext };

/** The body of one POST /track or /identify as it came. `body` is transferred: the caller must not touch it again. */
export interface AppendRequest {
  readonly project: ProjectRef;
  readonly kind: 'track' | 'identify';
  readonly context: RequestContext;
  readonly body: Uint8Array<ArrayBuffer>;
  /** Content-Encoding: the store inflates, bounded by the limit of a body. */
  readonly encoding: 'identity' | 'gzip' | 'deflate' | 'br';
}

/** Answered after the events are on disk. `errors`: the first 20 of rejected events. */
export type AppendResult =
  | {
      readonly ok: true;
      readonly accepted: number;
      readonly rejected: number;
      readonly errors: readonly { readonly index: number; readonly error: string }[];
      /** Identify only: properties of $add whose value is no number. */
      readonly ignored: readonly string[];
    }
  | { readonly ok: false; readonly error: ErrorData };

/** One piece of an NDJSON stream, already inflated, any cut of bytes. The store keeps the unfinished line. */
export interface BulkStream {
  /** Resolves when the whole lines of the piece are on disk. Rejects with AppError: what came before stays stored. */
  write(piece: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Ends the stream (its last line needs no newline). */
  end(): Promise<BulkResult>;
  /** Gives up: drops the unfinished line. What was acknowledged stays. */
  abort(): BulkResult;
  readonly progress: BulkResult;
}

export interface BulkResult {
  readonly accepted: number;
  readonly rejected: number;
  /** Lines read so far. */
  readonly lines: number;
  readonly firstErrors: readonly { readonly line: number; readonly error: string }[]; // at most 10, lines from 1
}

/** What a project has: for `bind`, notes and "did you mean". At most a few thousand names. */
export interface Catalog {
  readonly events: readonly { readonly name: string; readonly rows: number }[];
  /** Full names of property fields: `event_properties.x`, `user_properties.x`, `user.x`. */
  readonly fields: readonly string[];
}

/** What is stored of a project, everything acknowledged included. Times are milliseconds since the epoch. */
export interface Extent {
  readonly rows: number;
  readonly first: number;
  readonly last: number;
}

export interface StoreStats {
  readonly openShards: number;
  readonly cacheBytes: number;
  readonly journalBytes: number;
  /** Damage of journals that the operator has not put away: files, and of these records and bytes that are lost. */
  readonly journalDamagedFiles: number;
  readonly journalLostRecords: number;
  readonly journalLostBytes: number;
  readonly pendingRows: number;
  readonly queuedBytes: number;
  readonly workerRestarts: number;
  /** Query threads at work. */
  readonly busyThreads: number;
  readonly seals: number;
  readonly sealSeconds: number;
  readonly sealFailures: number;
  /** Age of the oldest event that is in no segment yet; 0: there is none. */
  readonly pendingSeconds: number;
  readonly compactions: number;
}

/** Every method rejects with AppError for what a user can act on. */
export interface EventStore {
  append(request: AppendRequest): Promise<AppendResult>;
  bulk(project: ProjectRef, kind: 'track' | 'identify', context: RequestContext): BulkStream;
  /** Sees every event acknowledged before the call. */
  query(project: ProjectRef, plan: Plan, options: QueryOptions): Promise<QueryResult>;
  /** The same, with the rows as text: large answers are written where they are made. */
  answer(project: ProjectRef, plan: Plan, options: QueryOptions & { readonly format: Format }): Promise<PageResult>;
  catalog(project: ProjectRef): Promise<Catalog>;
  /** null: no event. Sees every event acknowledged before the call. */
  extent(project: ProjectRef): Promise<Extent | null>;
  /** Counters that changed; called at least every second while they change, and once more before `close` resolves. */
  onUsage(listener: (totals: UsageTotals) => void): void;
  /** The profile, devices and events of a user as lines of JSON. */
  exportUser(project: ProjectRef, userId: string): AsyncIterable<Uint8Array>;
  /**
   * `before` is told what will be erased, at the last moment at which nothing is: when it throws, nothing will be. Devices: those
   * whose events without a user go, too; events of arrival numbers from `upTo` on are none of it.
   */
  eraseUser(
    project: ProjectRef,
    userId: string,
    before?: (toErase: { readonly devices: readonly string[]; readonly upTo: number }) => void,
  ): Promise<{ events: number; profiles: number; devices: number }>;
  /** Who a device is bound to and was; null for one that was never bound. Sees everything acknowledged before the call. */
  device(project: ProjectRef, deviceId: string): Promise<DeviceBindings | null>;
  /** Undoes the last binding of a device: it is bound to who had it before, or to nobody. On disk when it resolves; false: it was bound to nobody. */
  unbindDevice(project: ProjectRef, deviceId: string): Promise<boolean>;
  /**
   * Puts another file in the place of a project's shard, which is moved aside. Rejects with AppError `conflict` where the shard has
   * more than the file knows of, or is damaged, unless it is forced.
   */
  replace(
    projectId: string,
    by: { readonly staged: string; readonly aside: string; readonly force: boolean },
  ): Promise<void>;
  /** Removes the project's events from every file; resolves when no byte is left. */
  drop(projectId: string): Promise<void>;
  stats(): StoreStats;
  /** Bytes of a project's bodies that wait for a writer. */
  queuedBy(projectId: string): number;
  /** False with a reason while the store cannot take events. */
  ready(): { readonly ok: boolean; readonly reason?: string };
  /** Stops taking events, seals what is pending, releases files. */
  close(): Promise<void>;
}
