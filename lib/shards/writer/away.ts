/**
 * Projects whose shard file the other thread works on. Until it is done nothing is taken of them, but for events while a seal
 * is under way that nobody waits for; others go on.
 */
import { thrownBy } from '../seal/errand.ts';
import type { HeldBack } from './held-back.ts';
import type { ShardSet } from './shard-set.ts';
import type { ShardWriter } from './shard-writer.ts';
import type { Outcome, Storing } from '../seal/storer.ts';
import type { StoreResults, StoreTask, TaskOf } from '../seal/store-tasks.ts';
import type { WriterMessage } from '../writer-messages.ts';

export interface AwayOptions {
  readonly storing: Storing;
  readonly held: HeldBack;
  readonly shards: Pick<ShardSet, 'fileOf' | 'leave'>;
  /** Takes messages that waited, in this order. */
  readonly again: (messages: readonly WriterMessage[]) => void;
}

/** What follows a task. */
export interface Follow<Op extends StoreTask['op']> {
  readonly done: (value: StoreResults[Op]) => void;
  readonly failed: (error: Error) => void;
  /** The message that wanted it, taken again when it is done. */
  readonly next?: WriterMessage;
  /** What else of the project goes on meanwhile. */
  readonly admits?: 'appends';
}

/** A shard as far as it matters here: one that nobody knows yet, too. */
export type Traveller = Pick<ShardWriter, 'project' | 'tenant' | 'frozenBytes'> & { away: boolean };

export class Away {
  readonly #options: AwayOptions;
  readonly #forRoom = new Set<string>();
  readonly #last: WriterMessage[] = [];
  #bytes = 0;
  #size = 0;

  constructor(options: AwayOptions) {
    this.#options = options;
  }

  /** Projects that are away. */
  get size(): number {
    return this.#size;
  }

  /** Bytes of journal of what is being sealed. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Hands a task over. Everything of the project that was taken must be in the journal. */
  run<Op extends StoreTask['op']>(shard: Traveller, task: TaskOf<Op>, follow: Follow<Op>): void {
    const { held, storing, shards } = this.#options;
    const bytes = task.op === 'seal' ? shard.frozenBytes : 0;
    held.hold(shard.project, follow.admits);
    shards.leave(shard.project);
    shard.away = true;
    this.#size++;
    this.#bytes += bytes;
    storing.run(shard.tenant, shards.fileOf(shard.project), task, (outcome) => {
      shards.leave(shard.project);
      shard.away = false;
      this.#size--;
      this.#bytes -= bytes;
      this.#end(shard.project, outcome, follow);
    });
  }

  /** Holds a project back until something that is away has come back. */
  waitForRoom(project: string): void {
    if (this.#forRoom.has(project)) return;
    this.#forRoom.add(project);
    this.#options.held.hold(project);
  }

  /** Keeps a message until nothing is away any more; false when that is so now. */
  holdUntilBack(message: WriterMessage): boolean {
    if (this.#size === 0) return false;
    this.#last.push(message);
    return true;
  }

  #end<Op extends StoreTask['op']>(
    project: string,
    outcome: Outcome,
    { done, failed, next, admits }: Follow<Op>,
  ): void {
    const { held, again } = this.#options;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the task gives
    if (outcome.ok) done(outcome.value as StoreResults[Op]);
    else failed(thrownBy(outcome));
    const messages = [...held.release(project, { first: outcome.ok && next ? [next] : [], admits })];
    for (const other of [...this.#forRoom]) {
      this.#forRoom.delete(other);
      messages.push(...held.release(other));
    }
    if (this.#size === 0) messages.push(...this.#last.splice(0));
    if (messages.length > 0) again(messages);
  }
}
