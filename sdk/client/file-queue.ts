/**
 * A queue that survives the process: items that were not sent are sent after the next start. A log of lines, `+` and an item or
 * `-` and ids; it is emptied when everything is sent, and replaced when most of it is obsolete. Lines begin with their line feed:
 * what a full disk has cut off takes no later line with it.
 */
import { closeSync, ftruncateSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Item } from '../core/item.ts';
import type { ClientQueue } from './memory-queue.ts';
import { MemoryQueue } from './memory-queue.ts';

export interface FileQueueOptions {
  /** Most items; 10,000 by default. */
  readonly most?: number | undefined;
  /** Called when the file cannot be written; the queue continues in memory. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Replaces a file of more lines than this if more of them are obsolete than waiting. */
const REPLACED_FROM = 10_000;

/**
 * Opens a queue in a file, which only one process may use at a time. Each item is written before `track` returns (to the system's
 * cache, microseconds); it survives the process, but not a power cut. Throws when the file cannot be opened.
 */
export function fileQueue(file: string, { most = 10_000, onError }: FileQueueOptions = {}): ClientQueue {
  const queue = new MemoryQueue(most);
  for (const item of read(file)) queue.add(item);
  const draft = `${file}.draft`;
  const writeDraft = (): void => {
    writeFileSync(draft, queue.head(Infinity, new Set()).map(lineOf).join(''), { mode: 0o600 });
  };
  const openDraft = (): number => {
    renameSync(draft, file);
    return openSync(file, 'a', 0o600);
  };
  writeDraft();
  let handle: number | null = openDraft();
  let lines = queue.size();

  const write = (act: (to: number) => void): void => {
    if (handle === null) return;
    try {
      act(handle);
    } catch (error) {
      onError?.(error);
    }
  };
  const shorten = (): void => {
    write((to) => {
      if (queue.size() === 0) return ftruncateSync(to);
      writeDraft(); // a crash leaves the file as it was, or the draft in its place
      handle = null;
      closeSync(to);
      handle = openDraft();
    });
    lines = queue.size();
  };
  return {
    size: () => queue.size(),
    head: (count, except) => queue.head(count, except),
    add(item) {
      if (!queue.add(item)) return false;
      write((to) => writeFileSync(to, lineOf(item)));
      lines++;
      return true;
    },
    remove(ids) {
      queue.remove(ids);
      write((to) => writeFileSync(to, `\n-${JSON.stringify([...ids])}`));
      lines++;
      if (queue.size() === 0 || (lines > REPLACED_FROM && lines > 2 * queue.size())) shorten();
    },
    close() {
      if (handle !== null) closeSync(handle);
      handle = null;
      return Promise.resolve();
    },
  };
}

function lineOf({ id, kind, text }: Item): string {
  return `\n+${JSON.stringify([id, kind, text])}`;
}

/** The items of a file; none if it is missing. Skips what a crash cut off. */
function read(file: string): Iterable<Item> {
  const items = new Map<string, Item>();
  for (const line of textOf(file).split('\n')) {
    const value = parse(line.slice(1));
    if (!Array.isArray(value)) continue;
    const parts: readonly unknown[] = value;
    const [id, kind, text] = parts;
    if (line.startsWith('-')) for (const gone of parts) items.delete(String(gone));
    else if (typeof id === 'string' && (kind === 'track' || kind === 'identify') && typeof text === 'string') {
      items.set(id, { id, kind, text });
    }
  }
  return items.values();
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
