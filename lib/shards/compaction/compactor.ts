/** The event loop's side of the compaction thread. One compaction at a time: it takes memory and a core, and nobody waits. */
import { Worker } from 'node:worker_threads';
import type { CompactionReply, CompactionRequest } from './compaction-thread.ts';
import { threshold } from '../../base/threshold.ts';
import { nextMessage, startOf } from '../../base/thread-start.ts';
import type { Compacted, CompactionTask } from '../writer-messages.ts';
import { threadFile } from '../../base/thread-file.ts';

/**
 * The thread ends after this time without work: the memory for its columns never shrinks, and is 200 MB after compacting full
 * segments. Milliseconds.
 */
const REST = threshold('milliseconds until the compaction thread ends', 1_000, { least: 0 });

export class Compactor {
  readonly #segmentRows: number;
  #worker: { readonly thread: Worker; readonly started: Promise<void> } | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #rest: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(segmentRows: number) {
    this.#segmentRows = segmentRows;
  }

  /** Resolves with what became of segments and runs; rejects if that failed or the compactor is closed. */
  compact(task: CompactionTask): Promise<Compacted> {
    const compacted = this.#last.then(() => this.#run(task));
    this.#last = compacted.catch(() => undefined); // the caller gets the error; the next compaction must not
    return compacted;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#rest);
    const worker = this.#worker;
    worker?.thread.ref(); // nothing else may keep the process alive until then
    await worker?.started;
    await worker?.thread.terminate();
  }

  async #run(task: CompactionTask): Promise<Compacted> {
    if (this.#closed) throw new Error('the compactor is closed');
    clearTimeout(this.#rest);
    const { thread } = (this.#worker ??= this.#start());
    try {
      const answered = nextMessage<CompactionReply>(thread, 'the compaction thread ended');
      const request: CompactionRequest = { task, segmentRows: this.#segmentRows };
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      thread.postMessage(request);
      const reply = await answered;
      if (!reply.ok) throw new Error(reply.reason);
      const { ok: _ok, ...compacted } = reply;
      return compacted;
    } finally {
      this.#rest = setTimeout(() => this.#end(thread), REST.value).unref();
    }
  }

  #start(): { readonly thread: Worker; readonly started: Promise<void> } {
    const thread = new Worker(threadFile(new URL('./compaction-thread.js', import.meta.url)));
    thread.unref();
    thread.once('exit', () => {
      if (this.#worker?.thread === thread) this.#worker = null;
    });
    return { thread, started: startOf(thread) };
  }

  /** The next compaction gets a new thread. */
  #end(thread: Worker): void {
    if (this.#worker?.thread !== thread) return;
    this.#worker = null;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    thread.postMessage(null);
  }
}
