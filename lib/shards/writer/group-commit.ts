/** Writes requests to disk in groups, with one journal sync each, then answers them. */
import { checkHeld, type LockedFile } from '../../base/files/locked-file.ts';
import { errorOf, failure } from '../seal/answers.ts';
import { projectIdOf, type RequestTarget } from './project-actor.ts';
import type { RequestScope } from '../ingest/request-scope.ts';
import type { Journal } from '../journal/journal.ts';
import type { Recorded } from '../ingest/rows/pending-rows.ts';
import type { RecordHead } from '../journal/record-head.ts';
import type {
  WriterAnswer,
  AppendAnswer,
  AppendMessage,
  StreamPiece,
  WriterMessage,
  WriterReply,
} from '../writer-messages.ts';
import { AppError } from '../../base/errors.ts';

/** A request whose events were read. */
export interface ReadyRequest extends Pick<RequestTarget, 'commit' | 'rollback'> {
  readonly message: Pick<AppendMessage, 'id' | 'body' | 'piece' | 'project'>;
  readonly value: AppendAnswer;
  readonly scope: RequestScope;
  readonly head: RecordHead;
  /** Bytes that unpacking adds to its body: what waits in memory counts at that size. */
  readonly unpacked: number;
}

/** A request waiting for the disk. */
interface Prepared extends Pick<ReadyRequest, 'value' | 'scope' | 'commit' | 'rollback'>, Recorded {
  readonly id: number;
  readonly project: string;
  readonly piece: StreamPiece | undefined;
}

export interface GroupCommitOptions {
  readonly journal: Journal<RecordHead>;
  /** null: nobody serves the data folder, as in a test of the writer alone. */
  readonly lock: LockedFile | null;
  readonly streams: StreamOrder;
  readonly post: (reply: WriterReply) => void;
  /** Called before failed requests are rolled back: whatever builds on them must be rolled back first. */
  readonly failing: () => void;
  /** Whether requests wait to be read. */
  readonly more: () => boolean;
}

/** Messages that come often: only their own project's requests must be on disk. Most others begin a journal file. */
const OFTEN: ReadonlySet<WriterMessage['op']> = new Set(['snapshot', 'catalog', 'extent', 'compacted', 'purge', 'retain']); // prettier-ignore

/** A sync faster than this is waited for if there is nothing else to do. Milliseconds. */
const FAST_SYNC = 0.5;

export class GroupCommit {
  readonly #options: GroupCommitOptions;
  /** Read but not written to the journal yet. */
  #unwritten: Prepared[] = [];
  /** Written, and being synced. */
  #syncing: readonly Prepared[] | null = null;
  /** What the last sync took, milliseconds. */
  #syncTime = 0;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  /** Adds a request to the next group. */
  add({ message: { id, body, piece, project }, head, unpacked, ...rest }: ReadyRequest): void {
    const place = this.#options.journal.add({ head, body });
    const bytes = place.end - place.at + unpacked;
    this.#unwritten.push({ ...{ id, piece, project: project.id, place, bytes }, ...rest });
  }

  /** Whether a sync is running that nobody waits for; its answers are posted when the thread returns to its event loop. */
  get isSyncing(): boolean {
    return this.#syncing !== null;
  }

  /**
   * Starts writing the next group, unless one is being written. While the disk syncs, the next requests are read. If there are
   * none, waits for a fast disk: passing a sync to another thread and learning of its end takes longer than the sync.
   */
  pump(): void {
    if (this.#syncing) return;
    if (this.#syncTime < FAST_SYNC && !this.#options.more()) return this.settle();
    if (!this.#write()) return;
    const group = this.#syncing;
    const begun = performance.now();
    this.#options.journal.sync((error) => {
      if (this.#syncing !== group) return; // somebody has synced it without waiting
      this.#syncTime = performance.now() - begun;
      this.#finish(error);
      this.pump();
    });
  }

  /**
   * Writes everything read so far to disk, and waits for it. @param project Only if something of this project is not on disk yet:
   * the writer stands still meanwhile, and a slow disk takes tens of milliseconds.
   */
  settle(project?: string): void {
    if (project !== undefined && !this.#isUnderWay(project)) return;
    if (!this.#syncing && !this.#write()) return;
    const begun = performance.now();
    const error = errorOf(() => this.#options.journal.syncNow());
    this.#syncTime = performance.now() - begun;
    this.#finish(error);
    this.settle();
  }

  /** Writes to disk what a message must not precede. */
  settleFor(message: Exclude<WriterMessage, AppendMessage>): void {
    this.settle(message.op !== 'close' && OFTEN.has(message.op) ? projectIdOf(message) : undefined);
  }

  #isUnderWay(project: string): boolean {
    return [this.#unwritten, this.#syncing ?? []].some((group) => group.some((request) => request.project === project));
  }

  /** Writes the next group; false if there is nothing to sync. */
  #write(): boolean {
    if (this.#unwritten.length === 0) return false;
    const { lock, journal } = this.#options;
    if (lock) checkHeld(lock);
    this.#syncing = this.#unwritten;
    this.#unwritten = [];
    const error = errorOf(() => journal.write());
    if (error) this.#finish(error);
    return error === null;
  }

  /** Answers the group just synced, which is kept from then on whatever happens. A failed group is undone completely. */
  #finish(error: Error | null): void {
    const { journal, post } = this.#options;
    const group = this.#syncing ?? [];
    this.#syncing = null;
    if (error) return this.#fail([...group, ...this.#unwritten], error);
    const answers = group.map((request): WriterAnswer => {
      return { id: request.id, ok: true, value: { ...request.value, ignored: request.commit(request.scope, request) } };
    });
    post({ op: 'done', answers });
    journal.synced();
  }

  /** Later requests build on the rows of the failed ones: rolls all of them back, the last first. */
  #fail(group: readonly Prepared[], error: Error): void {
    const { journal, streams, post, failing } = this.#options;
    this.#unwritten = [];
    journal.abandon();
    for (const { piece } of group) streams.refused(piece);
    failing();
    for (const { rollback, scope } of [...group].reverse()) rollback(scope);
    post({ op: 'done', answers: group.map(({ id }) => failure(id, error)) });
  }
}

/**
 * Keeps the pieces of a stream in order without gaps: a piece may arrive before the one before it is on disk, and none may be
 * stored once one was refused, as the sender continues at the first line that was not stored.
 */
export class StreamOrder {
  /** The next piece of each stream of which some were read, and none refused since. */
  readonly #next = new Map<number, number>();

  /** Throws for a piece after one that was refused, here or on the way. */
  check(piece: StreamPiece | undefined): void {
    if (piece === undefined || piece.nth === (this.#next.get(piece.stream) ?? 0)) return;
    throw new AppError('overloaded', 'an earlier part of the stream was refused');
  }

  /** A piece was read. */
  took(piece: StreamPiece | undefined): void {
    if (piece !== undefined) this.#next.set(piece.stream, piece.nth + 1);
  }

  /** A piece was refused, even after it was read. */
  refused(piece: StreamPiece | undefined): void {
    if (piece !== undefined) this.#next.delete(piece.stream);
  }

  end(stream: number): void {
    this.#next.delete(stream);
  }
}
