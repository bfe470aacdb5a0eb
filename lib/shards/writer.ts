/**
 * The writer: owns the shards of its projects and the journal they share. One instance runs in a thread of its own
 * (writer-thread.ts); it works off messages in groups, and a group shares one sync of the disk.
 */
import fs from 'node:fs';
import path from 'node:path';
import { AppError } from '../errors.ts';
import type { ProjectRef } from '../project.ts';
import { Connections } from './connections.ts';
import { deleteRun, insertRun } from './deduplication.ts';
import { enrichRequest } from './enrich/enrich.ts';
import { openPlaces, type Places } from './enrich/geo.ts';
import { storedIp } from './enrich/ip.ts';
import { Intake } from './intake.ts';
import { Journal, journalFiles, readJournal, rewriteJournal, type JournalFile } from './journal.ts';
import { chooseMerge, tidyOnes } from './merge-choice.ts';
import { inflate } from './normalise/inflate.ts';
import { RequestScope } from './request-scope.ts';
import { decodeSequence } from './encoding/sequences.ts';
import { TIME, USER_ID } from './segment/columns.ts';
import { decodeNarrow } from './segment/decode.ts';
import { purgeSegments, retireSegments, storeSegment } from './segment/store.ts';
import { openForWriting, shardPath, storageError, type Connection } from './shard-file.ts';
import { ShardWriter } from './shard-writer.ts';
import type { Snapshot } from './column.ts';
import type {
  Answer,
  AppendAnswer,
  AppendMessage,
  MergedMessage,
  MergedRunsMessage,
  WriterMessage,
  WriterOptions,
  WriterReply,
  WriterStats,
} from './writer-messages.ts';

/** What the journal says of a record, besides its body. */
interface RecordHead {
  readonly project: ProjectRef;
  readonly arrival: number;
  readonly kind: AppendMessage['kind'];
  readonly context: AppendMessage['context'];
}

/** A request whose events are taken and wait for the disk. */
interface Prepared {
  readonly message: AppendMessage;
  readonly shard: ShardWriter;
  readonly scope: RequestScope;
  readonly value: AppendAnswer;
  readonly bytes: number;
}

/** A file of the journal is followed by the next at this length. Bytes. */
const JOURNAL_FILE = 32 << 20;
/** A shard into which nothing came for this long is tidied up. Milliseconds. */
const IDLE = 5_000;
/** After a seal failed, the next try waits so long. Milliseconds. */
const SEAL_RETRY = 5_000;
/** Rows that one merge may hold in memory, in full segments. */
const MERGE_SEGMENTS = 6;
/** Pages of a shard that are given back to the file system at once: about 40 MB, some ten milliseconds. */
const VACUUM_PAGES = 5_000;

export class Writer {
  readonly #options: WriterOptions;
  readonly #post: (reply: WriterReply) => void;
  readonly #connections: Connections;
  readonly #shards = new Map<string, ShardWriter>();
  readonly #journal: Journal<RecordHead>;
  readonly #intake: Intake;
  readonly #places: Places | null;
  readonly #retired = new Map<string, number[]>();
  readonly #merging = new Set<string>();
  readonly #lastAppend = new Map<string, number>();
  readonly #sealAfter = new Map<string, number>();
  readonly #stats = { seals: 0, sealSeconds: 0, compactions: 0 };
  #journalBytes = 0;

  constructor(options: WriterOptions, post: (reply: WriterReply) => void) {
    this.#options = options;
    this.#post = post;
    this.#connections = new Connections(openForWriting, options.openShards);
    this.#places = options.geoipFile === null ? null : openPlaces(options.geoipFile);
    this.#intake = new Intake({ batchLimit: options.batchLimit, lineLimit: options.lineLimit, places: this.#places });
    const folder = this.#journalFolder;
    fs.mkdirSync(folder, { recursive: true });
    const old = journalFiles(folder);
    this.#journal = new Journal(folder, options.lane, JOURNAL_FILE);
    this.#replay(old);
  }

  /** Works off messages in their order. Appends that follow each other share one sync. */
  process(messages: readonly WriterMessage[]): void {
    const answers: Answer[] = [];
    let prepared: Prepared[] = [];
    const flush = (): void => {
      if (prepared.length > 0) this.#commit(prepared, answers);
      prepared = [];
    };
    for (const message of messages) {
      if (message.op === 'append') this.#prepare(message, prepared, answers);
      else {
        flush();
        answers.push(this.#answer(message.id, () => this.#do(message)));
      }
    }
    flush();
    if (answers.length > 0) this.#post({ op: 'done', answers });
    this.#sealFull();
  }

  /** What time brings: seals of old rows, usage, tidying up. Call it about once a second. */
  tick(now: number): void {
    for (const shard of this.#shards.values()) {
      if (shard.pendingSince <= now - this.#options.sealAge) this.#trySeal(shard, now);
      const quiet = (this.#lastAppend.get(shard.project) ?? 0) <= now - IDLE;
      if (quiet && shard.unsealed && shard.pendingRows === 0) this.#trySeal(shard, now);
      if (quiet) this.#wantMerge(shard, true);
    }
    this.#tellUsage();
    this.#post({ op: 'stats', stats: this.#currentStats() });
  }

  #do(message: Exclude<WriterMessage, AppendMessage>): unknown {
    switch (message.op) {
      case 'snapshot':
        return this.#snapshot(message.project);
      case 'catalog':
        return this.#shard(message.project).catalog();
      case 'purge':
        return this.#purge(message.project, message.segments);
      case 'merged':
        return this.#merged(message);
      case 'merged_runs':
        return this.#mergedRuns(message);
      case 'drop':
        return this.#drop(message.project);
      case 'retain':
        return this.#retain(message.project, message.now);
      case 'seal_all':
        return this.#sealAll();
      case 'close':
        return this.#close();
    }
  }

  // Appending.

  #prepare(message: AppendMessage, prepared: Prepared[], answers: Answer[]): void {
    try {
      const shard = this.#shard(message.project.id);
      this.#journal.prepare();
      if (this.#journalBytes > this.#options.pendingBytes * 2) throw this.#stuck();
      const body = inflate(
        message.body,
        message.encoding,
        message.kind.endsWith('_lines') ? Infinity : this.#options.bodyLimit,
      );
      const scope = this.#scope(message);
      const value = this.#take(message.kind, body, shard, scope);
      if (!scope.kept) {
        shard.abandon(scope);
        answers.push({ id: message.id, ok: true, value });
        return;
      }
      const bytes = this.#journal.add({
        head: {
          project: message.project,
          arrival: scope.firstArrival,
          kind: message.kind,
          context: this.#storedContext(message),
        },
        body,
      });
      prepared.push({ message, shard, scope, value, bytes });
    } catch (error) {
      answers.push(failure(message.id, error));
    }
  }

  /** Takes a body into the pending rows; when it is refused, nothing of it stays. */
  #take(kind: AppendMessage['kind'], body: Uint8Array, shard: ShardWriter, scope: RequestScope): AppendAnswer {
    shard.begin(scope);
    const target = {
      events: shard.events,
      ipPolicy: scope.ipPolicy,
      restart: (again: RequestScope) => shard.restart(again),
    };
    try {
      switch (kind) {
        case 'track':
          return { ...this.#intake.takeBatch(body, target, scope), ignored: [], lines: 0 };
        case 'identify':
          this.#intake.takeIdentify(body, target, scope);
          return { accepted: 1, rejected: 0, errors: [], ignored: [], lines: 0 };
        case 'track_lines':
        case 'identify_lines':
          return {
            ...this.#intake.takeLines(body, kind === 'track_lines' ? 'track' : 'identify', target, scope),
            ignored: [],
          };
      }
    } catch (error) {
      shard.rollback(scope);
      throw error;
    }
  }

  #commit(prepared: readonly Prepared[], answers: Answer[]): void {
    const file = this.#journal.file;
    try {
      this.#journal.commit();
    } catch (error) {
      for (const { shard, scope } of [...prepared].reverse()) shard.rollback(scope);
      for (const { message } of prepared) answers.push(failure(message.id, error));
      return;
    }
    const now = Date.now();
    for (const { message, shard, scope, value, bytes } of prepared) {
      const ignored = shard.commit(scope, file, bytes);
      this.#journalBytes += bytes;
      this.#lastAppend.set(shard.project, now);
      answers.push({ id: message.id, ok: true, value: { ...value, ignored } });
    }
  }

  #scope(message: Pick<AppendMessage, 'context' | 'project'>): RequestScope {
    const enriched = enrichRequest(message.context, { policy: message.project.ipPolicy, places: this.#places });
    return new RequestScope(message.context, message.project, enriched);
  }

  /** The context as the journal may keep it: the address under the project's policy, and the place that the whole one told. */
  #storedContext({ context, project }: AppendMessage): AppendMessage['context'] {
    if (context.ip === null) return context;
    return {
      ...context,
      place: context.place ?? this.#places?.lookup(context.ip) ?? null,
      ip: storedIp(context.ip, project.ipPolicy),
    };
  }

  #stuck(): AppError {
    return new AppError(
      'storage_unavailable',
      'the server cannot write events to its shards at the moment; nothing of this request was stored',
      {
        hints: ['Send the same request again later: events with an insert_id are counted once.'],
      },
    );
  }

  // Sealing.

  #sealFull(): void {
    const { sealRows, sealBytes, pendingBytes } = this.#options;
    const now = Date.now();
    for (const shard of this.#shards.values()) {
      if (shard.pendingRows >= sealRows || shard.journalBytes >= sealBytes) this.#trySeal(shard, now);
    }
    while (this.#journalBytes > pendingBytes) {
      const oldest = [...this.#shards.values()].reduce((a, b) => (b.journalFile < a.journalFile ? b : a));
      if (oldest.journalFile === Infinity || !this.#trySeal(oldest, now)) return;
    }
  }

  /** Seals unless a seal failed a moment ago; what failed is tried again later, and a query that needs it gets the error. */
  #trySeal(shard: ShardWriter, now: number): boolean {
    if ((this.#sealAfter.get(shard.project) ?? 0) > now) return false;
    try {
      this.#seal(shard);
      this.#sealAfter.delete(shard.project);
      return true;
    } catch (error) {
      if (!storageError(error)) throw error;
      this.#sealAfter.set(shard.project, now + SEAL_RETRY);
      return false;
    }
  }

  #seal(shard: ShardWriter): void {
    const begun = performance.now();
    this.#journalBytes -= shard.journalBytes;
    try {
      shard.seal();
    } catch (error) {
      this.#journalBytes += shard.journalBytes;
      throw storageError(error) ?? error;
    }
    this.#stats.seals++;
    this.#stats.sealSeconds += (performance.now() - begun) / 1000;
    const oldest = Math.min(...[...this.#shards.values()].map((other) => other.journalFile));
    this.#journal.release(oldest);
    this.#wantMerge(shard, false);
  }

  #sealAll(): void {
    for (const shard of this.#shards.values()) if (shard.unsealed) this.#seal(shard);
  }

  #snapshot(project: string): { snapshot: Snapshot; retired: readonly number[] } {
    const shard = this.#shard(project);
    if (shard.unsealed) this.#seal(shard);
    return { snapshot: this.#view(shard), retired: this.#retired.get(project) ?? [] };
  }

  #view(shard: ShardWriter): Snapshot {
    const { state, project } = shard;
    return {
      project,
      file: shardPath(this.#options.folder, project),
      incarnation: state.incarnation,
      segments: state.segments.map(({ id, rows, first, last }) => ({ id, rows, first, last })),
      identityVersion: state.identityVersion,
      profileVersion: state.profileVersion,
    };
  }

  // Compaction.

  #wantMerge(shard: ShardWriter, idle: boolean): void {
    if (this.#merging.has(shard.project)) return;
    const { segmentRows } = this.#options;
    const segments = chooseMerge(shard.state.segments, {
      segmentRows,
      mostRows: segmentRows * MERGE_SEGMENTS,
      idle,
    }).map(({ id }) => id);
    const runs = shard.state.sealedIds.mergeable();
    if (segments.length === 0 && runs.length === 0) return;
    this.#merging.add(shard.project);
    this.#post({ op: 'merge', task: { project: shard.project, snapshot: this.#view(shard), segments, runs } });
  }

  #merged({ project, replaced, segments }: MergedMessage): void {
    this.#merging.delete(project);
    if (replaced.length === 0) return;
    const shard = this.#shard(project);
    const { state } = shard;
    const gone = new Set(replaced);
    const left = state.segments.filter((segment) => !gone.has(segment.id));
    if (left.length + gone.size !== state.segments.length) return; // some were dropped meanwhile; the next choice knows
    const made = segments.map(({ rows, first, last }) => ({ id: 0, rows, first, last, tidy: false }));
    const tidy = tidyOnes(made, left, gone.size);
    const connection = this.#connections.get(shardPath(this.#options.folder, project));
    const entries = connection
      .transaction(() => {
        retireSegments(connection, replaced);
        return segments.map((segment, i) =>
          storeSegment(connection, segment, tidy[i]! && segment.rows > this.#options.segmentRows / 2),
        );
      })
      .immediate();
    state.segments = [...left, ...entries];
    this.#retired.set(project, [...(this.#retired.get(project) ?? []), ...replaced]);
    this.#stats.compactions++;
    this.#post({ op: 'changed', snapshot: this.#view(shard), retired: this.#retired.get(project)! });
    this.#wantMerge(shard, false);
  }

  #mergedRuns({ project, replaced, run }: MergedRunsMessage): void {
    const shard = this.#shard(project);
    const connection = this.#connections.get(shardPath(this.#options.folder, project));
    const { sealedIds } = shard.state;
    const id = connection
      .transaction(() => {
        for (const old of replaced) deleteRun(connection, old);
        return run ? insertRun(connection, run) : 0;
      })
      .immediate();
    sealedIds.remove(replaced);
    if (run) sealedIds.add(id, run);
  }

  #purge(project: string, segments: readonly number[]): void {
    const connection = this.#connections.get(shardPath(this.#options.folder, project));
    connection.transaction(() => purgeSegments(connection, segments)).immediate();
    connection.pragma(`incremental_vacuum(${VACUUM_PAGES})`);
    connection.pragma('wal_checkpoint(TRUNCATE)');
    const left = (this.#retired.get(project) ?? []).filter((id) => !segments.includes(id));
    if (left.length > 0) this.#retired.set(project, left);
    else this.#retired.delete(project);
  }

  // The rest.

  /** Drops segments whose events are all older than the project keeps; insert ids that may come again go too. */
  #retain({ id, retentionDays }: ProjectRef, now: number): void {
    const shard = this.#shard(id);
    const expired = shard.state.sealedIds.expired(now);
    const connection = this.#connections.get(shardPath(this.#options.folder, id));
    connection.transaction(() => expired.forEach((run) => deleteRun(connection, run))).immediate();
    shard.state.sealedIds.remove(expired);
    if (retentionDays === null) return;
    const oldest = now - retentionDays * 86_400_000;
    const old = shard.state.segments.filter((segment) => segment.last < oldest).map((segment) => segment.id);
    if (old.length === 0) return;
    shard.rememberSeen(seenIn(connection, old));
    connection.transaction(() => retireSegments(connection, old)).immediate();
    shard.state.segments = shard.state.segments.filter((segment) => !old.includes(segment.id));
    this.#retired.set(id, [...(this.#retired.get(id) ?? []), ...old]);
    this.#seal(shard);
    this.#post({ op: 'changed', snapshot: this.#view(shard), retired: this.#retired.get(id)! });
  }

  #drop(project: string): void {
    const file = shardPath(this.#options.folder, project);
    this.#journalBytes -= this.#shards.get(project)?.journalBytes ?? 0;
    for (const known of [this.#shards, this.#retired, this.#lastAppend, this.#sealAfter]) known.delete(project);
    this.#merging.delete(project);
    this.#connections.close(file);
    for (const suffix of ['', '-wal', '-shm']) fs.rmSync(file + suffix, { force: true });
    this.#journal.removeSpares();
    this.#journal.rotate();
    rewriteJournal<RecordHead>(this.#journalFolder, this.#journal.file, (head) => head.project.id === project);
  }

  #close(): void {
    this.#sealAll();
    this.#tellUsage();
    this.#connections.closeAll();
    this.#journal.release(Infinity);
    this.#journal.close(true);
  }

  #tellUsage(): void {
    const days = [...this.#shards.values()].flatMap((shard) => {
      const told = shard.state.usage.takeUntold();
      const bytes = told.length > 0 ? this.#fileBytes(shard.project) : 0;
      return told.map(({ date, counts }) => ({ project: shard.project, date, counts, bytes }));
    });
    if (days.length > 0) this.#post({ op: 'usage', days });
  }

  #fileBytes(project: string): number {
    return fs.statSync(shardPath(this.#options.folder, project), { throwIfNoEntry: false })?.size ?? 0;
  }

  #currentStats(): WriterStats {
    let pendingRows = 0;
    for (const shard of this.#shards.values()) pendingRows += shard.pendingRows;
    return { openShards: this.#connections.size, journalBytes: this.#journalBytes, pendingRows, ...this.#stats };
  }

  /** The shard of a project, read when it is not known. Throws AppError('shard_damaged') when it cannot be. */
  #shard(project: string): ShardWriter {
    let shard = this.#shards.get(project);
    if (shard) {
      this.#shards.delete(project); // the most recently used is last
    } else {
      this.#forgetIdle();
      const file = shardPath(this.#options.folder, project);
      shard = new ShardWriter(project, () => this.#connections.get(file));
      const retired = shard.retiredSegments();
      if (retired.length > 0) this.#purge(project, retired); // a start: no query reads them
    }
    this.#shards.set(project, shard);
    return shard;
  }

  #forgetIdle(): void {
    for (const shard of this.#shards.values()) {
      if (this.#shards.size < this.#options.knownShards) return;
      if (shard.unsealed || this.#merging.has(shard.project)) continue;
      this.#shards.delete(shard.project);
      this.#lastAppend.delete(shard.project);
    }
  }

  /**
   * Takes what an earlier run acknowledged and did not seal, and seals it, so that the old files can go (the store removes them
   * when all writers are ready). Records that a shard already holds are passed over.
   */
  #replay(files: readonly JournalFile[]): void {
    let error: AppError | null = null;
    for (const file of files) {
      for (const { head, body } of readJournal<RecordHead>(this.#journalFolder, file)) {
        if (laneOf(head.project.id, this.#options.lanes) !== this.#options.lane) continue;
        try {
          this.#replayRecord(head, body);
        } catch (failed) {
          error = storageError(failed) ?? raise(failed);
        }
      }
    }
    for (const shard of this.#shards.values()) if (!this.#trySeal(shard, Date.now())) error ??= this.#stuck();
    this.#tellUsage();
    this.#post({ op: 'ready', error: error?.data ?? null });
  }

  #replayRecord(head: RecordHead, body: Uint8Array): void {
    const shard = this.#shard(head.project.id);
    if (head.arrival < shard.state.nextArrival) return;
    shard.state.nextArrival = head.arrival;
    const scope = this.#scope(head);
    this.#take(head.kind, body, shard, scope);
    shard.commit(scope, 0, 0);
    if (shard.pendingRows >= this.#options.sealRows) this.#seal(shard);
  }

  #answer(id: number, run: () => unknown): Answer {
    try {
      return { id, ok: true, value: run() };
    } catch (error) {
      return failure(id, error);
    }
  }

  get #journalFolder(): string {
    return path.join(this.#options.folder, 'journal');
  }
}

/** Which writer a project's events go to. */
export function laneOf(project: string, lanes: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < project.length; i++) hash = Math.imul(hash ^ project.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % lanes;
}

/** The first and last time of each user in some segments. */
function seenIn(connection: Connection, segments: readonly number[]): Map<number, { first: number; last: number }> {
  const seen = new Map<number, { first: number; last: number }>();
  const column = connection.prepare<[number, number], { data: Buffer }>(
    'SELECT data FROM columns WHERE segment = ? AND field = ?',
  );
  for (const segment of segments) {
    const users = column.get(segment, USER_ID);
    const times = column.get(segment, TIME);
    if (!users || !times) continue;
    const codes = decodeNarrow(users.data);
    const at = decodeSequence(times.data);
    codes.forEach((user, row) => {
      const time = at[row]!;
      const known = seen.get(user);
      if (user === 0) return;
      if (!known) seen.set(user, { first: time, last: time });
      else seen.set(user, { first: Math.min(known.first, time), last: Math.max(known.last, time) });
    });
  }
  return seen;
}

function failure(id: number, error: unknown): Answer {
  const told = storageError(error);
  return {
    id,
    ok: false,
    error: told ? told.data : { bug: error instanceof Error ? (error.stack ?? error.message) : String(error) },
  };
}

function raise(error: unknown): never {
  throw error;
}
