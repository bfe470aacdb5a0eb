/**
 * Loaded before a program: on SIGUSR2 its process prints how long its event loop was held, and how long that of an idle thread
 * was, which only the machine holds up. Shares of the time, milliseconds.
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

/** Begins to watch the event loop of this thread. */
export function watchLoop(): () => Delays {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION });
  histogram.enable();
  const at = (share: number): number => histogram.percentile(share) / 1e6;
  return () => ({ p50: at(50), p90: at(90), p99: at(99) });
}

/** Answers every message with its delays. */
export function answerWithDelays(): void {
  const read = watchLoop();
  parentPort!.on('message', () => parentPort!.postMessage(read(), []));
}
