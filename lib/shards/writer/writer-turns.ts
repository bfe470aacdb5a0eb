/**
 * What waits for a writer, in the order of processing: appends and lookups in turns of organizations and projects, so that a flood from
 * one does not hold up the others; everything else at once, since it is short, waits for nothing, and nobody asks for it in a loop.
 */
import { FairQueue } from '../../base/fair-queue.ts';
import { projectOf } from './held-back.ts';
import type { Tenant } from '../../base/project.ts';
import type { WriterMessage } from '../writer-messages.ts';

/** What takes turns: new requests, lookups, and slices of taking up. */
type Taken = Exclude<Extract<WriterMessage, { readonly project: Tenant }>, { readonly op: 'retain' }>;

/** Cost of a request besides its bytes, so that small requests make turns no longer. */
const OVERHEAD = 4_096;
/** Cost of a slice, or a lookup: about what arrives in its time. How many a body takes its size does not tell. */
const OF_SLICE = 256 << 10;

/**
 * Delivers messages again, in this order, before later ones of their projects. `slice`: they continue, which takes time;
 * otherwise they were held back, and have had their turn.
 */
export type Again = (messages: readonly WriterMessage[], as?: 'slice') => void;

export class WriterTurns {
  readonly #appends = new FairQueue<Taken>();
  #others: WriterMessage[] = [];

  get size(): number {
    return this.#appends.size + this.#others.length;
  }

  push(message: WriterMessage): void {
    if (isTaken(message)) {
      const cost = message.op === 'append' ? Math.min(message.body.byteLength + OVERHEAD, OF_SLICE) : OF_SLICE;
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
   * Takes messages back: before later ones of the same projects, so that nothing of a project is done after its deletion. What
   * cost nothing would be preferred to all others for as long as it goes on.
   */
  again(...[messages, as]: Parameters<Again>): void {
    const projects = new Set(messages.flatMap((message) => projectIn(message) ?? []));
    const isLater = (message: WriterMessage): boolean => projects.has(projectIn(message) ?? '');
    const waiting = this.#others;
    const later = [...[...projects].flatMap((id) => this.#appends.take(id)), ...waiting.filter(isLater)];
    this.#others = [];
    for (const message of messages) {
      if (message.op === 'append') this.#appends.push(message.project, message, as === 'slice' ? OF_SLICE : 0);
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

const TAKEN: ReadonlySet<WriterMessage['op']> = new Set<Taken['op']>(['append', 'take_up', 'catalog', 'device']);

const isTaken = (message: WriterMessage): message is Taken => TAKEN.has(message.op);

const projectIn = (message: WriterMessage): string | null => (message.op === 'close' ? null : projectOf(message));
