import type { WriterMessage } from './writer-messages.ts';

interface Held {
  /** Reasons why the project is held back; at 0 it goes on. */
  reasons: number;
  messages: WriterMessage[];
}

/** Messages of projects that something is done with meanwhile. Their senders wait, so what is held is bounded by their queue. */
export class HeldBack {
  readonly #projects = new Map<string, Held>();

  /** Keeps a message when its project is held back. */
  holds(message: WriterMessage): boolean {
    if (this.#projects.size === 0 || message.op === 'close' || message.op === 'thaw') return false;
    const held = this.#projects.get(projectOf(message));
    held?.messages.push(message);
    return held !== undefined;
  }

  /** Holds a project back until as many calls of `release`. */
  hold(project: string): void {
    const held = this.#projects.get(project);
    if (held) held.reasons++;
    else this.#projects.set(project, { reasons: 1, messages: [] });
  }

  /** What waits of the project and may go on, `first` before the others; nothing while there is another reason to wait. */
  release(project: string, first: readonly WriterMessage[] = []): readonly WriterMessage[] {
    const held = this.#projects.get(project);
    if (!held) throw new Error('a project goes on that was not held back');
    held.messages.unshift(...first);
    if (--held.reasons > 0) return [];
    this.#projects.delete(project);
    return held.messages;
  }
}

export const projectOf = (message: Exclude<WriterMessage, { op: 'close' }>): string =>
  typeof message.project === 'string' ? message.project : message.project.id;

/** The device whose bindings a message is about; null: it is about none. */
export function deviceOf(message: WriterMessage): string | null {
  if (message.op === 'device') return message.deviceId;
  return message.op === 'append' && message.kind === 'unbind' ? Buffer.from(message.body).toString('utf8') : null;
}
