/**
 * The seam between the service and where events live. The embedded store (shards in SQLite files, embedded-store.ts) is one
 * implementation, the store on ClickHouse (cluster/lib/clickhouse/store.ts) the other. Nothing above knows of their SQL.
 */
import type { Parts } from '../base/parts.ts';
import type { AnswerFormat } from '../dsl/format/answer.ts';
import type { UsageTotals } from '../base/usage-totals.ts';
import type { KnownNames } from '../dsl/hints/suggest.ts';
import type { ListPlan, Plan } from '../dsl/plan/plan.ts';
import type { ProjectRef } from '../base/project.ts';
import type { ClientHints, GeoLocation, RequestContext } from '../shards/request.ts';
import type { Erased } from '../shards/erase/erase.ts';
import type { AppendAnswer, DeviceBindings, WriterStats } from '../shards/writer-messages.ts';
import type { EventSpan } from '../workers/event-spans.ts';
import type { PageResult, QueryOptions, QueryResult } from '../workers/query-result.ts';

export type { UsageTotals };
export type {
  AppendAnswer,
  ClientHints,
  DeviceBindings,
  PageResult,
  GeoLocation,
  QueryOptions,
  QueryResult,
  RequestContext,
};

/** The body of one POST /track or /identify as received. Nobody may change `body` from then on. */
export interface AppendRequest {
  readonly project: ProjectRef;
  readonly kind: 'track' | 'identify';
  readonly context: RequestContext;
  readonly body: Uint8Array<ArrayBuffer>;
  /** Content-Encoding: the store inflates the body, up to its limit. */
  readonly encoding: 'identity' | 'gzip' | 'deflate' | 'br';
}

/** One piece of an inflated NDJSON stream, cut anywhere. The store keeps the unfinished line. */
export interface BulkStream {
  /**
   * Resolves when the piece's whole lines are on disk, and all before them. Rejects with AppError; what came before stays stored,
   * and nothing after it is. If `hasRoom`, the next piece may be given before that: it is read while the disk syncs this one.
   */
  write(piece: Parts): Promise<void>;
  /** Whether a piece may be given now, although the one before it is not on disk. */
  hasRoom(bytes: number): boolean;
  /** Bytes that are held of a line that is not finished. */
  readonly unfinished: number;
  /** Ends the stream (its last line needs no newline). */
  end(): Promise<BulkResult>;
  /** Cancels the stream and drops the unfinished line. What was acknowledged stays. */
  abort(): BulkResult;
  readonly progress: BulkResult;
}

export interface BulkResult {
  readonly accepted: number;
  readonly rejected: number;
  /** Lines read so far. */
  readonly lines: number;
  readonly firstErrors: readonly { readonly line: number; readonly error: string }[]; // at most 10, lines from 1
  readonly warnings: readonly LineWarning[]; // at most 20
}

/** Something of an accepted line that is not stored as it was sent. */
export type LineWarning = Omit<AppendAnswer['warnings'][number], 'index'> & { readonly line: number };

/** Names that a project has: for `bind`, notes and "did you mean". At most a few thousand. */
export type Catalog = KnownNames;

/** What a project has stored, including everything acknowledged. Times are milliseconds since the epoch. */
export type Extent = Omit<EventSpan, 'name'>;

/** What both stores are told. */
export interface StoreOptions {
  /** Bytes of bodies waiting for one writer, or on their way into ClickHouse. */
  readonly queueBytes: number;
  /** Bytes that one query may hold: on each server, of ClickHouse. */
  readonly queryMemory: number;
  /** Groups that one query may hold. */
  readonly queryGroups: number;
  /** All projects with their current settings; without it, projects drop old events only while they are used. */
  readonly projects?: () => Promise<Iterable<ProjectRef>>;
  /** A background task failed (a compaction), of this project if of one; nothing is lost, it will be retried. */
  readonly onTrouble: (error: unknown, what: string, project?: string) => void;
}

/** The store on ClickHouse counts its inserts as seals, and the queries that run there as busy threads; it has no files. */
export interface StoreStats extends Omit<WriterStats, 'dictionaryBytes'> {
  readonly cacheBytes: number;
  /** Journal damage that the operator has not put away: files, and the records and bytes lost in them. */
  readonly journalDamagedFiles: number;
  readonly journalLostRecords: number;
  readonly journalLostBytes: number;
  readonly queuedBytes: number;
  readonly workerRestarts: number;
  readonly busyThreads: number;
  readonly sealFailures: number;
}

/** Every method rejects with AppError for errors that a user can act on. */
export interface EventStore {
  /** Where the events are, as answers name it. */
  readonly mode: 'embedded' | 'clickhouse';
  /** Resolves when the events are on disk. `errors`: the first 20 of rejected events. */
  append(request: AppendRequest): Promise<AppendAnswer>;
  bulk(project: ProjectRef, kind: 'track' | 'identify', context: RequestContext): BulkStream;
  /** Sees every event acknowledged before the call. */
  query(project: ProjectRef, plan: Plan, options: QueryOptions): Promise<QueryResult>;
  /** The same, with rows as text: large answers are written where they are made. */
  answer(
    project: ProjectRef,
    plan: Plan,
    options: QueryOptions & { readonly format: AnswerFormat },
  ): Promise<PageResult>;
  catalog(project: ProjectRef): Promise<Catalog>;
  /** null: no events. Sees every event acknowledged before the call. */
  extent(project: ProjectRef): Promise<Extent | null>;
  /** Counters that changed; called at least every second while they change, and a last time before `close` resolves. */
  onUsage(listener: (totals: UsageTotals) => void): void;
  /** The profile, devices and events of a user as lines of JSON. */
  exportUser(project: ProjectRef, userId: string): AsyncIterable<Uint8Array>;
  /**
   * `before` gets what will be erased, at the last moment before anything is: if it throws, nothing is erased. Devices: those
   * whose events without a user are erased too; events with arrival numbers from `upTo` on stay.
   */
  eraseUser(
    project: ProjectRef,
    userId: string,
    before?: (toErase: { readonly devices: readonly string[]; readonly upTo: number }) => unknown,
  ): Promise<Erased>;
  /**
   * Deletes the events that a list has, of those acknowledged before the call, with their insert ids; resolves with their number when
   * no byte of them is left. `before` gets what will be deleted, at the last moment before anything is, and nothing if there are
   * none: if it throws, nothing is deleted. `arrivals`: their arrival numbers, as `ArrivalSet` writes them.
   */
  deleteEvents(
    project: ProjectRef,
    plan: ListPlan,
    options: QueryOptions,
    before: (toDelete: { readonly events: number; readonly arrivals: readonly string[] }) => unknown,
  ): Promise<number>;
  /** Whom a device is and was bound to; null if it was never bound. Sees everything acknowledged before the call. */
  device(project: ProjectRef, deviceId: string): Promise<DeviceBindings | null>;
  /**
   * Undoes a device's last binding: it is bound to its previous user, or to nobody. On disk when it resolves; false: it was not
   * bound.
   */
  unbindDevice(project: ProjectRef, deviceId: string): Promise<boolean>;
  /**
   * Replaces a project's shard with another file and moves the old one aside. Rejects with AppError `conflict` if the shard has
   * more than the file knows of, or is damaged, unless forced.
   */
  replace(
    projectId: string,
    by: { readonly staged: string; readonly aside: string; readonly force: boolean },
  ): Promise<void>;
  /** Removes the project's events from every file; resolves when no byte is left. */
  drop(projectId: string): Promise<void>;
  stats(): StoreStats;
  /** Bytes of a project's bodies waiting for a writer. */
  queuedBy(projectId: string): number;
  /** Bytes of the file of a project; 0: it has none. */
  storedBy(projectId: string): number;
  /** False with a reason while the store cannot take events. */
  ready(): { readonly ok: boolean; readonly reason?: string };
  /** Stops taking events, seals what is pending, releases files. */
  close(): Promise<void>;
}
