import type { WriterMessage } from '../writer-messages.ts';

interface Held {
  /** Reasons why the project is held back, and of these how many let events pass. */
  reasons: number;
  lenient: number;
  messages: WriterMessage[];
}

/** Messages of projects that something is done with meanwhile. Their senders wait, so what is held is bounded by their queue. */
export class HeldBack {
  readonly #projects = new Map<string, Held>();

  /** Keeps a message when its project is held back. Events pass where they may, unless something of the project waits already. */
  holds(message: WriterMessage): boolean {
    if (this.#projects.size === 0 || message.op === 'close' || message.op === 'thaw') return false;
    const held = this.#projects.get(projectOf(message));
    if (held === undefined) return false;
    if (held.reasons === held.lenient && held.messages.length === 0 && passes(message)) return false;
    held.messages.push(message);
    return true;
  }

  isHeld(project: string): boolean {
    return this.#projects.has(project);
  }

  /** Holds a project back until as many calls of `release`, all of it or all but events. */
  hold(project: string, admits?: 'appends'): void {
    const held = this.#projects.get(project) ?? { reasons: 0, lenient: 0, messages: [] };
    held.reasons++;
    if (admits) held.lenient++;
    this.#projects.set(project, held);
  }

  /** What waits of the project and may go on, `first` before the others. `admits`: as it was held. */
  release(
    project: string,
    { first = [], admits }: { readonly first?: readonly WriterMessage[]; readonly admits?: 'appends' | undefined } = {},
  ): readonly WriterMessage[] {
    const held = this.#projects.get(project);
    if (!held) throw new Error('a project goes on that was not held back');
    held.messages.unshift(...first);
    held.reasons--;
    if (admits) held.lenient--;
    if (held.reasons === 0) {
      this.#projects.delete(project);
      return held.messages;
    }
    if (held.reasons > held.lenient) return [];
    const stays = held.messages.findIndex((message) => !passes(message));
    return held.messages.splice(0, stays < 0 ? held.messages.length : stays);
  }
}

/** Events and identifies change nothing that is on disk; what undoes a binding looks there. */
const passes = (message: WriterMessage): boolean => message.op === 'append' && message.kind !== 'unbind';

export const projectOf = (message: Exclude<WriterMessage, { op: 'close' }>): string =>
  typeof message.project === 'string' ? message.project : message.project.id;

/** The device whose bindings a message is about; null: it is about none. */
export function deviceOf(message: WriterMessage): string | null {
  if (message.op === 'device') return message.deviceId;
  return message.op === 'append' && message.kind === 'unbind' ? Buffer.from(message.body).toString('utf8') : null;
}
