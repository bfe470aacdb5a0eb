/**
 * Loaded before a program: on SIGUSR2 its process prints how much processor time its event loop took between looks a millisecond
 * apart. That is what it held others for; what other programs and threads take meanwhile does not count. Percentiles, milliseconds.
 */
import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

export interface Turns {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

const EVERY = 1;
/** Looks that are kept: the first half minute. */
const MOST = 30_000;

if (isMainThread) {
  const turns: number[] = [];
  let before = used();
  const look = (): void => {
    const now = used();
    if (turns.length < MOST) turns.push(now - before);
    before = now;
  };
  setInterval(look, EVERY).unref();
  process.on('SIGUSR2', () => {
    const sorted = turns.toSorted((a, b) => a - b);
    const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? NaN;
    const told: Turns = { p50: at(0.5), p90: at(0.9), p99: at(0.99) };
    process.stdout.write(`loop turns ${JSON.stringify(told)}\n`);
  });
}

/** Processor time of the main thread, milliseconds. Before Node 23.9, only Linux tells it. */
function used(): number {
  const usage: unknown = Reflect.get(process, 'threadCpuUsage');
  if (typeof usage !== 'function') return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[0]) / 1e6;
  const { user, system } = usage.call(process) as NodeJS.CpuUsage;
  return (user + system) / 1e3;
}
