/** A user's export as the event loop sees it: a thread makes each piece once the one before was taken. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { AppError } from '../../base/errors.ts';
import { nextMessage, startOf } from '../../base/thread-start.ts';
import type { ExportReply, ExportTask } from './export-thread.ts';
import type { ExportPosition } from './user-export.ts';
import { TaskTurns } from '../../base/task-turns.ts';
import type { Tenant } from '../../base/project.ts';
import type { Readings } from '../readings.ts';
import { threadFile } from '../../base/thread-file.ts';

/** Heap of an export, MiB: a line is at most some MiB, and typed arrays are outside. A small heap is collected in time. */
export const EXPORT_HEAP = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };

const NO_EVENT: ExportPosition = { time: -Infinity, arrival: -Infinity };

/**
 * The lines of a user's export. An erasure, even of another user, interrupts it: it then waits and continues in the new file,
 * after the last event sent.
 */
export async function* resumedExport(readings: Readings, tenant: Tenant, userId: string): AsyncGenerator<Uint8Array> {
  for (let after: ExportPosition | null = null; ;) {
    const { handle, source: snapshot, interruption, unpin } = await readings.read(tenant.id);
    try {
      for await (const { bytes, last } of exportPieces(
        { snapshot, userId, after },
        { tenant, signal: interruption, onGone: unpin },
      )) {
        after = last ?? NO_EVENT;
        yield bytes;
      }
      return;
    } catch (error) {
      if (!(error instanceof ExportInterrupted)) throw error;
    } finally {
      readings.purge(handle);
    }
  }
}

/** An export was interrupted, as the files it reads are about to be replaced. It can continue in the new ones. */
class ExportInterrupted extends Error {}

/**
 * One thread starts at a time: each takes some tenths of a second of a processor until it has a low priority, and whoever asks for
 * exports in a loop would have eight starting all the time.
 */
const starts = new TaskTurns({ atOnce: { all: 1 } });

/**
 * The lines of an export, in pieces of some hundred KiB, each with its last event. The thread ends with the iteration, however
 * that ends, and at once when `signal` is aborted, even while nobody takes the next piece: the iteration then fails with
 * ExportInterrupted. `onGone`: the thread has released all files.
 */
async function* exportPieces(
  task: Omit<ExportTask, 'stop'>,
  { tenant, signal, onGone }: { readonly tenant: Tenant; readonly signal: AbortSignal; readonly onGone: () => void },
): AsyncGenerator<{ readonly bytes: Uint8Array; readonly last: ExportPosition | null }> {
  const stopped = new Int32Array(new SharedArrayBuffer(4));
  const end: { reason: Error | null } = { reason: null };
  const start = async (): Promise<Worker> => {
    const made = new Worker(threadFile(new URL('./export-thread.js', import.meta.url)), {
      workerData: { ...task, stop: stopped.buffer } satisfies ExportTask,
      resourceLimits: EXPORT_HEAP,
    });
    made.on('error', (error) => (end.reason = error instanceof Error ? error : new Error(String(error))));
    made.once('exit', () => {
      end.reason ??= new Error('the export ended too early');
      onGone();
    });
    await startOf(made);
    return made;
  };
  let worker: Worker;
  try {
    worker = await starts.run(tenant, start);
  } catch (error) {
    onGone(); // there is no thread: an erasure would wait for it for ever
    throw error;
  }
  /** Whether it is making a piece. */
  let working = false;
  const stop = async (): Promise<void> => {
    Atomics.store(stopped, 0, 1);
    if (working) await sleep(100); // it may be about to inflate, and notices before that it must stop: see checkBeforeInflating
    await worker.terminate();
  };
  const onAbort = (): void => void stop();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    for (;;) {
      if (signal.aborted) throw new ExportInterrupted();
      if (end.reason) throw end.reason; // it failed between two pieces
      working = true;
      const reply = await nextPiece(worker);
      working = false;
      if (reply.kind === 'end') return;
      if (reply.kind === 'error') throw AppError.from(reply.error);
      yield { bytes: Buffer.from(reply.text), last: reply.last };
    }
  } catch (error) {
    throw signal.aborted ? new ExportInterrupted() : error;
  } finally {
    signal.removeEventListener('abort', onAbort);
    await stop();
  }
}

function nextPiece(worker: Worker): Promise<ExportReply> {
  const reply = nextMessage<ExportReply>(worker, 'the export ended too early');
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  worker.postMessage('next');
  return reply;
}
