/**
 * Reads bodies in slices of time: between two slices of a large one, or of one whose ids must be looked up on disk, requests of
 * other projects are read and acknowledged. Its own project waits until it is complete.
 */
import type { Errand, Steps } from '../seal/errand.ts';
import { threshold } from '../../base/threshold.ts';
import { buffersPassed } from '../../base/young-buffers.ts';
import type { HeldBack } from './held-back.ts';
import type { RequestScope } from '../ingest/request-scope.ts';
import type { ShardWriter } from './shard-writer.ts';
import type { Storing } from '../storer.ts';
import type { StreamOrder } from './stream-order.ts';
import type { AppendAnswer, AppendMessage, WriterMessage } from '../writer-messages.ts';
import type { Again } from './writer-turns.ts';

/** How long others wait at most. Milliseconds. */
export const SLICE = threshold('milliseconds of a slice', 2, { least: 0 });

/** A request being read. */
export interface UnderWay {
  readonly shard: ShardWriter;
  readonly scope: RequestScope;
  /** Inflated. */
  readonly body: Uint8Array;
  readonly steps: Steps<AppendAnswer>;
}

interface Paused extends UnderWay {
  readonly message: AppendMessage;
  /** What it waits for; null if it is delivered again unprompted. */
  errand: Errand | null;
}

export interface SlicingOptions {
  readonly storing: Storing;
  readonly fileOf: (project: string) => string;
  readonly held: HeldBack;
  readonly streams: StreamOrder;
  readonly again: Again;
}

export class Slicing {
  readonly #options: SlicingOptions;
  /** By project. */
  readonly #paused = new Map<string, Paused>();

  constructor(options: SlicingOptions) {
    this.#options = options;
  }

  /** Whether a message continues a paused request, for which its project is held back. */
  isPaused(message: WriterMessage): boolean {
    return message.op === 'append' && this.#paused.get(message.project.id)?.message.id === message.id;
  }

  /**
   * Starts reading a message, or continues; null if there is more to do, in which case the message is delivered again. Throws the
   * body's error, after undoing all of it.
   */
  take(message: AppendMessage, begin: () => UnderWay): { taken: UnderWay; value: AppendAnswer } | null {
    const paused = this.#paused.get(message.project.id);
    if (!paused) this.#options.streams.check(message.piece);
    const taken = paused ?? begin();
    if (!paused && taken.body.buffer instanceof ArrayBuffer) buffersPassed(taken.body.byteLength);
    try {
      const until = performance.now() + SLICE.value;
      do {
        const step = taken.steps.next();
        if (step.done === true) {
          if (paused) this.#end(message);
          this.#options.streams.took(message.piece);
          return { taken, value: step.value };
        }
        if (step.value) return this.#wait(paused ?? this.#pause(message, taken), step.value);
      } while (performance.now() < until);
    } catch (error) {
      if (paused) this.#end(message);
      throw error;
    }
    if (!paused) this.#pause(message, taken);
    this.#options.again([message], 'slice');
    return null;
  }

  /** Has an errand done, then the message delivered again. */
  #wait(paused: Paused, errand: Errand): null {
    const { storing, fileOf, again } = this.#options;
    const { shard, message } = paused;
    paused.errand = errand;
    storing.run(shard.tenant, fileOf(shard.project), errand.task, (outcome) => {
      if (paused.errand !== errand) return; // the request has started over
      paused.errand = null;
      errand.outcome = outcome;
      again([message], 'slice');
    });
    return null;
  }

  /** Number of paused requests. */
  get size(): number {
    return this.#paused.size;
  }

  /** Requests on which these built were not kept: these start over when delivered again. */
  startOver(): void {
    for (const paused of this.#paused.values()) {
      const { message, shard, scope, errand } = paused;
      shard.rollback(scope);
      paused.errand = null;
      this.#end(message, errand ? [message] : []);
    }
  }

  #pause(message: AppendMessage, taken: UnderWay): Paused {
    const paused = { ...taken, message, errand: null };
    this.#options.held.hold(message.project.id);
    taken.shard.paused = true;
    this.#paused.set(message.project.id, paused);
    return paused;
  }

  /** @param first Delivered before the messages that waited. */
  #end({ project }: AppendMessage, first: readonly WriterMessage[] = []): void {
    this.#paused.get(project.id)!.shard.paused = false;
    this.#paused.delete(project.id);
    this.#options.again(this.#options.held.release(project.id, { first }));
  }
}
