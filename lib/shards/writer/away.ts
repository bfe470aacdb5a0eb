/**
 * Projects whose shard file is with the store thread. Until it is done, their messages wait, except for events during a seal that
 * nobody waits for; other projects continue.
 */
import { thrownBy } from '../seal/errand.ts';
import type { HeldBack } from './held-back.ts';
import type { Again } from './writer-turns.ts';
import type { ShardSet } from './shard-set.ts';
import { unknownTenant, type ShardWriter } from './shard-writer.ts';
import type { Outcome, Storing } from '../storer.ts';
import type { StoreResults, StoreTask, TaskOf } from '../seal/store-tasks.ts';
import type { WriterMessage } from '../writer-messages.ts';

export interface AwayOptions {
  readonly storing: Storing;
  readonly held: HeldBack;
  readonly shards: Pick<ShardSet, 'fileOf' | 'leave' | 'writeFailed'>;
  /** Delivers messages that waited, in this order. */
  readonly again: Again;
}

/** Called at the end, with an error if it failed. */
export type Told = (error: Error | null) => void;

/** What to do after a task. */
export interface Follow<Op extends StoreTask['op']> {
  readonly done: (value: StoreResults[Op]) => void;
  readonly failed: (error: Error) => void;
  /** The message that needed the task, delivered again after it. */
  readonly next?: WriterMessage;
  /** What else of the project may continue meanwhile. */
  readonly admits?: 'appends';
}

/** What matters here of a shard, which may not be loaded yet. */
export type Traveller = Pick<ShardWriter, 'project' | 'tenant' | 'frozenBytes'> & { away: boolean };

/** A shard that is not loaded. */
export const unloaded = (project: string, tenant = unknownTenant(project)): Traveller => ({
  ...{ project, tenant },
  ...{ away: false, frozenBytes: 0 },
});

export class Away {
  readonly #options: AwayOptions;
  readonly #forRoom = new Set<string>();
  #bytes = 0;
  #size = 0;

  constructor(options: AwayOptions) {
    this.#options = options;
  }

  /** Number of projects that are away. */
  get size(): number {
    return this.#size;
  }

  /** Bytes of journal being sealed. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Hands over a task. Everything read of the project must be in the journal. */
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

  /** Holds a project back until another comes back. */
  waitForRoom(project: string): void {
    if (this.#forRoom.has(project)) return;
    this.#forRoom.add(project);
    this.#options.held.hold(project);
  }

  #end<Op extends StoreTask['op']>(
    project: string,
    outcome: Outcome,
    { done, failed, next, admits }: Follow<Op>,
  ): void {
    const { held, shards, again } = this.#options;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the task gives
    if (outcome.ok) done(outcome.value as StoreResults[Op]);
    else {
      const error = thrownBy(outcome);
      shards.writeFailed(project, error);
      failed(error);
    }
    const messages = [...held.release(project, { first: outcome.ok && next ? [next] : [], admits })];
    for (const other of [...this.#forRoom]) {
      this.#forRoom.delete(other);
      messages.push(...held.release(other));
    }
    again(messages);
  }
}
