/**
 * The writer: owns the shards of its projects and the journal they share, in a thread of its own (writer-thread.ts).
 * It works off messages in groups, and a group shares one sync of the disk.
 */
import { monotonic } from '../monotonic.ts';
import fs from 'node:fs';
import path from 'node:path';
import { answerOf, errorOf, failure, stuck, stuckAlone } from './answers.ts';
import { Compaction } from './compaction.ts';
import type { Snapshot } from './column.ts';
import { enrichRequest } from './enrich/enrich.ts';
import { openPlaces, type Places } from './enrich/geo.ts';
import { storedIp } from './enrich/ip.ts';
import { checkHeld, lockedFile, type LockedFile } from '../locked-file.ts';
import { Intake } from './intake.ts';
import { fileBytesFor, Journal } from './journal.ts';
import { journalFiles, type JournalFile } from './journal-names.ts';
import type { JournalRecord } from './journal-rewrite.ts';
import { replay, type Unreplayed } from './replay.ts';
import { laneOf } from './lane.ts';
import { inflate } from './normalise/inflate.ts';
import { recordHead, type RecordHead } from './record-head.ts';
import { Removal } from './removal.ts';
import { FIRST_INGEST_RULES, INGEST_RULES } from './request.ts';
import { RequestScope } from './request-scope.ts';
import { Sealing } from './sealing.ts';
import { ShardSet } from './shard-set.ts';
import type { ShardWriter } from './shard-writer.ts';
import { Telling } from './telling.ts';
import type {
  Answer,
  AppendAnswer,
  AppendMessage,
  WriterMessage,
  WriterOptions,
  WriterReply,
} from './writer-messages.ts';

/** A request whose events are taken and wait for the disk. */
interface Prepared {
  readonly id: number;
  readonly shard: ShardWriter;
  readonly scope: RequestScope;
  readonly value: AppendAnswer;
  /** Bytes of journal. */
  readonly bytes: number;
}

/** A shard into which nothing came for this long is tidied up. Milliseconds. */
const IDLE = 5_000;

/**
 * Work after which a group goes to the disk although more has arrived: its senders can make their next requests while the rest
 * is taken; otherwise all would wait for the whole, and then the writer for all of them. Milliseconds.
 */
const GROUP_TIME = 0.8;
/** A sync that takes less is waited for. Milliseconds. */
const FAST_SYNC = 0.5;
/** Syncs that the mean of their time reaches back. */
const SYNC_MEMORY = 16;

export class Writer {
  readonly #options: WriterOptions;
  readonly #post: (reply: WriterReply) => void;
  readonly #folder: string;
  /** null: nobody serves the data folder, as in a test of the writer alone. */
  readonly #lock: LockedFile | null;
  readonly #shards: ShardSet;
  readonly #journal: Journal<RecordHead>;
  readonly #intake: Intake;
  readonly #sealing: Sealing;
  readonly #compaction: Compaction;
  readonly #telling: Telling;
  readonly #removal: Removal;
  readonly #places: Places | null;
  /** Taken and not written to the journal yet. */
  #unwritten: Prepared[] = [];
  /** What a sync of the disk took lately, milliseconds. */
  #syncTime = 0;
  /** Until a replay has been through the journal, all of it is needed. */
  #unreplayed: Unreplayed | null = null;
  /** Written, and being synced. */
  #syncing: readonly Prepared[] | null = null;

  /** Takes up what an earlier run left in the journal, then says `ready`. Throws when the folder or a setting cannot be used. */
  constructor(options: WriterOptions, post: (reply: WriterReply) => void) {
    this.#options = options;
    this.#post = post;
    this.#lock = lockedFile(options.folder);
    this.#places = options.geoipFile === null ? null : openPlaces(options.geoipFile);
    this.#intake = new Intake({ batchLimit: options.batchLimit, lineLimit: options.lineLimit, places: this.#places });
    this.#shards = new ShardSet(options);
    this.#folder = path.join(options.folder, 'journal');
    fs.mkdirSync(this.#folder, { recursive: true });
    const old = journalFiles(this.#folder);
    this.#journal = new Journal(this.#folder, options, fileBytesFor(options.journalBytes));
    this.#compaction = new Compaction(options.segmentRows, this.#shards, post);
    this.#sealing = new Sealing(
      options,
      { shards: this.#shards, journal: this.#journal },
      {
        before: () => this.#settle(),
        after: (shard, oldest) => {
          this.#release(oldest);
          this.#compaction.want(shard, false);
        },
        failed: (error) => post({ op: 'trouble', error: error.data }),
        thin: (afresh) => this.#thin(afresh),
      },
    );
    this.#telling = new Telling({
      ...{ shards: this.#shards, sealing: this.#sealing, compaction: this.#compaction },
      ...{ journal: this.#journal, post },
    });
    this.#removal = new Removal({
      ...{ shards: this.#shards, sealing: this.#sealing, telling: this.#telling },
      scrub: (project) => this.#journal.scrub((head) => head.project.id === project),
    });
    this.#replay(old);
  }

  /** Works off messages in their order. Appends that follow each other share one sync, and are answered after it. */
  process(messages: Iterable<WriterMessage>): void {
    const answers: Answer[] = [];
    let begun = performance.now();
    for (const message of messages) {
      if (this.#removal.holds(message)) continue;
      if (message.op === 'append') {
        this.#prepare(message, answers);
        if (performance.now() - begun < GROUP_TIME) continue;
        this.#sealing.sealHeavy(message.project.id, monotonic());
        this.#pump();
        begun = performance.now();
      } else {
        this.#settle();
        // At once: what a later message changes must not be told before it.
        this.#post({ op: 'done', answers: [answerOf(message.id, () => this.#do(message))] });
      }
    }
    if (answers.length > 0) this.#post({ op: 'done', answers });
    this.#sealing.sealFull(monotonic());
    this.#sealing.boundJournal(monotonic());
    this.#pump();
  }

  /** What time brings: seals of old rows, usage, tidying up. Call it about once a second. */
  tick(now: number): void {
    this.#sealing.sealOld(now);
    this.#sealing.boundJournal(now);
    for (const shard of this.#shards.known()) {
      if (shard.lastAppend > now - IDLE) continue;
      // Counters of refused requests, and identities, wait for no event.
      if ((shard.unsealed && shard.pendingRows === 0) || shard.state.unindexed) this.#sealing.trySeal(shard, now);
      this.#compaction.want(shard, true);
    }
    this.#telling.usage();
    this.#telling.stats();
    this.#shards.forgetIdle();
  }

  #do(message: Exclude<WriterMessage, AppendMessage>): unknown {
    if ('project' in message && message.op !== 'drop' && message.op !== 'thaw') {
      this.#unreplayed?.check(typeof message.project === 'string' ? message.project : message.project.id);
    }
    switch (message.op) {
      case 'snapshot':
        return this.#snapshot(message.project);
      case 'catalog':
      case 'extent':
        return this.#shards.get(message.project)[message.op]();
      case 'device':
        return this.#shards.get(message.project).device(message.deviceId);
      case 'purge':
        return this.#compaction.purge(message.project, message.segments);
      case 'merged':
      case 'merged_runs':
      case 'merged_texts':
        return this.#compaction.take(message);
      case 'freeze':
        return this.#removal.freeze(message.project);
      case 'thaw':
        return this.#removal.thaw(message.project, (held) => this.process(held));
      case 'drop':
        this.#unreplayed?.forget(message.project);
        return this.#removal.drop(message.project);
      case 'retain':
        if (this.#compaction.retain(message.project, message.now))
          this.#sealing.seal(this.#shards.get(message.project.id));
        return undefined;
      case 'close':
        return this.#close();
    }
  }

  #prepare(message: AppendMessage, answers: Answer[]): void {
    const { id, project, kind, context } = message;
    try {
      this.#sealing.checkRoom();
      this.#unreplayed?.check(project.id);
      if (kind === 'unbind') this.#settle(); // what it undoes may have come a moment ago
      this.#journal.prepare();
      const shard = this.#shards.get(project.id);
      if (this.#sealing.isStuck(shard)) throw stuckAlone();
      const limit = kind.endsWith('_lines') ? Infinity : this.#options.bodyLimit;
      const body = inflate(message.body, message.encoding, limit);
      const scope = this.#scope(message);
      const value = this.#take(kind, body, shard, scope);
      if (!scope.kept) {
        shard.rollback(scope);
        answers.push({ id, ok: true, value });
        return;
      }
      const head = recordHead(message, scope.firstArrival, this.#storedContext(context, project));
      this.#unwritten.push({ id, shard, scope, value, bytes: this.#journal.add({ head, body }) });
    } catch (error) {
      answers.push(failure(id, error));
    }
  }

  /** Takes a body into the pending rows; when it is refused, nothing of it stays. */
  #take(kind: AppendMessage['kind'], body: Uint8Array, shard: ShardWriter, scope: RequestScope): AppendAnswer {
    shard.begin(scope);
    try {
      const answer = this.#takeBody(kind, body, shard, scope);
      shard.end(scope);
      return answer;
    } catch (error) {
      shard.rollback(scope);
      throw error;
    }
  }

  #takeBody(kind: AppendMessage['kind'], body: Uint8Array, shard: ShardWriter, scope: RequestScope): AppendAnswer {
    const target = { events: shard.events, ipPolicy: scope.ipPolicy, restart: () => shard.restart(scope) };
    switch (kind) {
      case 'track':
        return { ...this.#intake.takeBatch(body, target, scope), ignored: [] };
      case 'identify':
        this.#intake.takeIdentify(body, target, scope);
        return { accepted: 1, rejected: 0, errors: [], ignored: [], lines: 0 };
      case 'track_lines':
      case 'identify_lines':
        return { ...this.#intake.takeLines(body, kind, target, scope), ignored: [] };
      case 'unbind': {
        const undone = shard.undoBinding(Buffer.from(body).toString('utf8'), scope);
        return { accepted: undone ? 1 : 0, rejected: 0, errors: [], ignored: [], lines: 0 };
      }
    }
  }

  /**
   * Brings what is taken to the disk, unless that is under way. A fast disk is waited for: handing a sync to another thread and
   * hearing of its end takes longer than the sync. While a slow one works, the next requests are taken.
   */
  #pump(): void {
    if (this.#syncing) return;
    if (this.#syncTime < FAST_SYNC) return this.#settle();
    if (!this.#write()) return;
    const group = this.#syncing;
    const begun = performance.now();
    this.#journal.sync((error) => {
      if (this.#syncing !== group) return; // somebody did not want to wait
      this.#timeSync(begun);
      this.#finish(error);
      this.#pump();
    });
  }

  #timeSync(begun: number): void {
    this.#syncTime += (performance.now() - begun - this.#syncTime) / SYNC_MEMORY;
  }

  /** Brings everything that is taken to the disk, now. */
  #settle(): void {
    if (!this.#syncing && !this.#write()) return;
    const begun = performance.now();
    const error = errorOf(() => this.#journal.syncNow());
    this.#timeSync(begun);
    this.#finish(error);
    this.#settle();
  }

  /** Writes what is taken; false when there is nothing to sync. */
  #write(): boolean {
    if (this.#unwritten.length === 0) return false;
    if (this.#lock) checkHeld(this.#lock);
    this.#syncing = this.#unwritten;
    this.#unwritten = [];
    const error = errorOf(() => this.#journal.write());
    if (error) this.#finish(error);
    return error === null;
  }

  /** Answers the group that was synced: after that it is kept, whatever happens. What a failure leaves is as if it had never come. */
  #finish(error: Error | null): void {
    const group = this.#syncing ?? [];
    this.#syncing = null;
    if (error) return this.#fail([...group, ...this.#unwritten], error);
    const { file } = this.#journal;
    const answers = group.map(({ id, shard, scope, value, bytes }): Answer => {
      const ignored = shard.commit(scope, { file, bytes });
      this.#sealing.journalBytes += bytes;
      return { id, ok: true, value: { ...value, ignored } };
    });
    this.#post({ op: 'done', answers });
    this.#journal.synced();
  }

  /** Later requests build on the rows of the failed ones: all go, the last first. */
  #fail(group: readonly Prepared[], error: Error): void {
    this.#unwritten = [];
    this.#journal.abandon();
    for (const { shard, scope } of [...group].reverse()) shard.rollback(scope);
    this.#post({ op: 'done', answers: group.map(({ id }) => failure(id, error)) });
  }

  #scope({ context, project }: Pick<RecordHead, 'context' | 'project'>): RequestScope {
    return new RequestScope(
      context,
      project,
      enrichRequest(context, { policy: project.ipPolicy, places: this.#places }),
    );
  }

  /** The context as the journal keeps it: the address under the project's policy, the place that the whole one told, and the rules. */
  #storedContext(context: AppendMessage['context'], { ipPolicy }: AppendMessage['project']): AppendMessage['context'] {
    if (context.ip === null) return { ...context, rules: INGEST_RULES };
    const place = context.place ?? this.#places?.lookup(context.ip) ?? null;
    return { ...context, place, ip: storedIp(context.ip, ipPolicy), rules: INGEST_RULES };
  }

  #snapshot(project: string): { snapshot: Snapshot; retired: readonly number[] } {
    const stored = this.#shards.storedSnapshot(project);
    if (stored) return { snapshot: stored, retired: [] };
    const shard = this.#shards.get(project);
    if (shard.unsealed) this.#sealing.seal(shard);
    this.#shards.connection(project); // makes the file of a project that has nothing yet: readers open what is there
    return { snapshot: this.#shards.snapshot(shard), retired: shard.retired };
  }

  /** What was counted is told first: the events are gone, but they are billed. */
  #close(): void {
    this.#sealing.sealAll();
    this.#telling.usage();
    this.#shards.connections.closeAll();
    this.#release(Infinity);
    this.#journal.close(true);
  }

  /**
   * Takes what an earlier run acknowledged and did not seal. Records that a shard already holds are passed over. Files of this
   * lane go as its seals release them. Files of an earlier run with another number of writers hold records of several lanes:
   * everything is sealed then, and the store removes them when all writers are ready without an error.
   */
  #replay(old: readonly JournalFile[]): void {
    const { lane, lanes } = this.#options;
    const take = this.#replayRecord.bind(this);
    this.#unreplayed = replay(old, { folder: this.#folder, lane, lanes, take });
    let { error } = this.#unreplayed;
    if (old.some((file) => file.lanes !== lanes)) {
      for (const shard of this.#shards.known())
        if (shard.unsealed && !this.#sealing.trySeal(shard, monotonic())) error ??= stuck();
    }
    this.#release(this.#sealing.oldestFile());
    this.#telling.usage();
    this.#telling.lateUsage((project) => laneOf(project, lanes) === lane);
    this.#post({ op: 'ready', error: error?.data ?? null });
  }

  #release(oldest: number): void {
    this.#journal.release(Math.min(oldest, this.#unreplayed?.neededFile ?? 0));
  }

  /** Files that something pins which cannot be sealed: what is sealed in shards need not stay in them. */
  #thin(afresh: boolean): void {
    const waiting = new Set(this.#unreplayed?.projects);
    for (const shard of this.#shards.known()) if (shard.unsealed) waiting.add(shard.project);
    this.#journal.thin((head) => !waiting.has(head.project.id), afresh);
  }

  #replayRecord({ head, body }: JournalRecord<RecordHead>, file: number): void {
    const shard = this.#shards.get(head.project.id);
    if (head.arrival < shard.state.nextArrival) return;
    shard.state.nextArrival = head.arrival;
    const scope = this.#scope({ ...head, context: { rules: FIRST_INGEST_RULES, ...head.context } });
    this.#take(head.kind, body, shard, scope);
    shard.commit(scope, { file, bytes: body.byteLength });
    this.#sealing.journalBytes += body.byteLength;
    this.#sealing.sealFull(monotonic());
  }
}
