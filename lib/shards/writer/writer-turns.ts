/**
 * What waits for a writer, in the order of processing: appends in turns of organizations and projects, so that a flood from one
 * does not hold up the others; everything else at once, since it is short and waits for nothing.
 */
import { FairQueue } from '../../base/fair-queue.ts';
import { projectOf } from './held-back.ts';
import type { AppendMessage, TakeUpMessage, WriterMessage } from '../writer-messages.ts';

/** What takes turns: new requests, and slices of taking up. */
type Taken = AppendMessage | TakeUpMessage;

/** Cost of a request besides its bytes, so that small requests make turns no longer. */
const OVERHEAD = 4_096;
/** Cost of a slice of taking up: about what arrives in its time. */
const OF_SLICE = 256 << 10;

export class WriterTurns {
  readonly #appends = new FairQueue<Taken>();
  #others: WriterMessage[] = [];

  get size(): number {
    return this.#appends.size + this.#others.length;
  }

  push(message: WriterMessage): void {
    if (message.op === 'append' || message.op === 'take_up') {
      const cost = message.op === 'append' ? message.body.byteLength + OVERHEAD : OF_SLICE;
      this.#appends.push(message.project, message, cost);
      return;
    }
    // Earlier messages go first, and none may follow for a project that is removed.
    if (message.op === 'drop' || message.op === 'freeze' || message.op === 'replace')
      this.#others.push(...this.#appends.take(message.project));
    if (message.op === 'close') this.#others.push(...this.#all());
    this.#others.push(message);
  }

  /**
   * Takes back messages that were held back: before later ones of the same projects, so that nothing of a project is done after
   * its deletion. Appends cost nothing, since they have had their turn.
   */
  again(messages: readonly WriterMessage[]): void {
    const projects = new Set(messages.flatMap((message) => projectIn(message) ?? []));
    const isLater = (message: WriterMessage): boolean => projects.has(projectIn(message) ?? '');
    const waiting = this.#others;
    const later = [...[...projects].flatMap((id) => this.#appends.take(id)), ...waiting.filter(isLater)];
    this.#others = [];
    for (const message of messages) {
      if (message.op === 'append') this.#appends.push(message.project, message, 0);
      else this.push(message);
    }
    for (const message of later) this.push(message);
    this.#others.push(...waiting.filter((message) => !isLater(message)));
  }

  shift(): WriterMessage | undefined {
    return this.#others.shift() ?? this.#appends.shift();
  }

  #all(): Taken[] {
    const all: Taken[] = [];
    for (let next = this.#appends.shift(); next !== undefined; next = this.#appends.shift()) all.push(next);
    return all;
  }
}

const projectIn = (message: WriterMessage): string | null => (message.op === 'close' ? null : projectOf(message));
