import type { WriterMessage } from '../writer-messages.ts';

interface Held {
  /** Number of reasons to hold the project back, and how many of these let events pass. */
  reasons: number;
  lenient: number;
  messages: WriterMessage[];
}

/** Messages of projects that are busy with something else. Their senders wait, so their queue bounds what is held. */
export class HeldBack {
  readonly #projects = new Map<string, Held>();

  /** Keeps a message if its project is held back. Events may pass if every reason allows it and nothing of the project waits. */
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

  /** Holds back a project's messages, or all but events, until `release` was called as often. */
  hold(project: string, admits?: 'appends'): void {
    const held = this.#projects.get(project) ?? { reasons: 0, lenient: 0, messages: [] };
    held.reasons++;
    if (admits) held.lenient++;
    this.#projects.set(project, held);
  }

  /** The waiting messages that may continue, in their order, `first` before the others. `admits`: as passed to `hold`. */
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
    // Those before one that stays would be held again, behind it.
    return held.messages.every(passes) ? held.messages.splice(0) : [];
  }
}

/** Events and identifies change nothing on disk; undoing a binding reads the disk. */
const passes = (message: WriterMessage): boolean => message.op === 'append' && message.kind !== 'unbind';

export const projectOf = (message: Exclude<WriterMessage, { op: 'close' }>): string =>
  typeof message.project === 'string' ? message.project : message.project.id;

/** The device whose bindings a message concerns; null if none. */
export function deviceOf(message: WriterMessage): string | null {
  if (message.op === 'device') return message.deviceId;
  return message.op === 'append' && message.kind === 'unbind' ? Buffer.from(message.body).toString('utf8') : null;
}
