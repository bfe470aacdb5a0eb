/** Brings requests to the disk in groups, each with one sync of the journal, and answers them then. */
import { checkHeld, type LockedFile } from '../../base/files/locked-file.ts';
import { errorOf, failure } from '../seal/answers.ts';
import type { Journal } from '../journal/journal.ts';
import type { Place } from '../journal/entry.ts';
import type { JournalRecord } from '../journal/rewrite.ts';
import type { RecordHead } from '../journal/record-head.ts';
import type { RequestScope } from '../ingest/request-scope.ts';
import type { ShardWriter } from './shard-writer.ts';
import type { Answer, AppendAnswer, WriterReply } from '../writer-messages.ts';

/** A request whose events are taken. */
export interface Taken {
  readonly id: number;
  readonly shard: ShardWriter;
  readonly scope: RequestScope;
  readonly value: AppendAnswer;
  readonly record: JournalRecord<RecordHead>;
  /** Bytes that its body has more than in the journal: what waits in memory counts as it is there. */
  readonly unpacked: number;
}

/** It waits for the disk. */
interface Prepared extends Omit<Taken, 'record' | 'unpacked'> {
  readonly place: Place;
  /** Of journal, its body unpacked. */
  readonly bytes: number;
}

export interface GroupCommitOptions {
  readonly journal: Journal<RecordHead>;
  /** null: nobody serves the data folder, as in a test of the writer alone. */
  readonly lock: LockedFile | null;
  readonly post: (reply: WriterReply) => void;
  /** Told of bytes of journal of a shard that are acknowledged. */
  readonly committed: (shard: ShardWriter, bytes: number) => void;
  /** Called before requests that cannot be kept are rolled back: whatever was built on them goes first. */
  readonly failing: () => void;
}

/** A sync that takes less is waited for. Milliseconds. */
const FAST_SYNC = 0.5;
/** Syncs that the mean of their time reaches back. */
const SYNC_MEMORY = 16;

export class GroupCommit {
  readonly #journal: Journal<RecordHead>;
  readonly #lock: LockedFile | null;
  readonly #post: (reply: WriterReply) => void;
  readonly #committed: GroupCommitOptions['committed'];
  readonly #failing: () => void;
  /** Taken and not written to the journal yet. */
  #unwritten: Prepared[] = [];
  /** Written, and being synced. */
  #syncing: readonly Prepared[] | null = null;
  /** What a sync of the disk took lately, milliseconds. */
  #syncTime = 0;

  constructor({ journal, lock, post, committed, failing }: GroupCommitOptions) {
    this.#journal = journal;
    this.#lock = lock;
    this.#post = post;
    this.#committed = committed;
    this.#failing = failing;
  }

  /** Takes a request into the next group. */
  add({ record, unpacked, ...taken }: Taken): void {
    const place = this.#journal.add(record);
    this.#unwritten.push({ ...taken, place, bytes: place.end - place.at + unpacked });
  }

  /**
   * Brings what is taken to the disk, unless that is under way. A fast disk is waited for: handing a sync to another thread and
   * hearing of its end takes longer than the sync. While a slow one works, the next requests are taken.
   */
  pump(): void {
    if (this.#syncing) return;
    if (this.#syncTime < FAST_SYNC) return this.settle();
    if (!this.#write()) return;
    const group = this.#syncing;
    const begun = performance.now();
    this.#journal.sync((error) => {
      if (this.#syncing !== group) return; // somebody did not want to wait
      this.#timeSync(begun);
      this.#finish(error);
      this.pump();
    });
  }

  #timeSync(begun: number): void {
    this.#syncTime += (performance.now() - begun - this.#syncTime) / SYNC_MEMORY;
  }

  /** Brings everything that is taken to the disk, now. */
  settle(): void {
    if (!this.#syncing && !this.#write()) return;
    const begun = performance.now();
    const error = errorOf(() => this.#journal.syncNow());
    this.#timeSync(begun);
    this.#finish(error);
    this.settle();
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
    const answers = group.map(({ id, shard, scope, value, place, bytes }): Answer => {
      const ignored = shard.commit(scope, { place, bytes });
      this.#committed(shard, bytes);
      return { id, ok: true, value: { ...value, ignored } };
    });
    this.#post({ op: 'done', answers });
    this.#journal.synced();
  }

  /** Later requests build on the rows of the failed ones: all go, the last first. */
  #fail(group: readonly Prepared[], error: Error): void {
    this.#unwritten = [];
    this.#journal.abandon();
    this.#failing();
    for (const { shard, scope } of [...group].reverse()) shard.rollback(scope);
    this.#post({ op: 'done', answers: group.map(({ id }) => failure(id, error)) });
  }
}
