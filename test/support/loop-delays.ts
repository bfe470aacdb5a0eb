/**
 * Loaded before a program: on SIGUSR2 its process prints how long its event loop was blocked, and that of an idle thread, which
 * only the machine delays. Percentiles, milliseconds.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

export interface Delays {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

const RESOLUTION = 1;

if (isMainThread) {
  const idle = new Worker(new URL('./idle-thread.js', import.meta.url), { execArgv: [] });
  idle.unref();
  const read = watchLoop();
  process.on('SIGUSR2', () => {
    const own = read();
    idle.once('message', (others: Delays) => process.stdout.write(`loop delays ${JSON.stringify([own, others])}\n`));
    idle.postMessage(null, []);
  });
}

/** Starts to measure the event loop of this thread. */
export function watchLoop(): () => Delays {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION });
  histogram.enable();
  const at = (share: number): number => histogram.percentile(share) / 1e6;
  return () => ({ p50: at(50), p90: at(90), p99: at(99) });
}

/** Replies to every message with this thread's delays. */
export function answerWithDelays(): void {
  const read = watchLoop();
  parentPort!.on('message', () => parentPort!.postMessage(read(), []));
}
