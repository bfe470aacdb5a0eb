/** Checks strangers' dashboards in a separate thread, so that they cannot use up the server's time or memory. */
import { Piscina } from 'piscina';
import { AppError, codeOf } from '../base/errors.ts';
import { threadFile } from '../base/thread-file.ts';
import type { Checked } from './check.ts';
import { atStart } from './problem.ts';

/** Includes starting the thread; a large dashboard takes a tenth of it. */
const TIMEOUT_MS = 10_000;
/** Waiting checks, each with its text. */
const MAX_WAITING = 32;

/** No thread while idle: people store dashboards in bursts, then none for days. */
const pool = new Piscina<string, Checked>({
  filename: threadFile(new URL('./check-thread.js', import.meta.url)).href,
  name: 'checkDashboard',
  minThreads: 0,
  maxThreads: 1,
  maxQueue: MAX_WAITING,
  idleTimeout: 20_000,
  resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 },
});

/** Like `checkDashboard`. Rejects with AppError `overloaded` when too many are waiting. */
export async function checkApart(text: string): Promise<Checked> {
  if (pool.queueSize >= MAX_WAITING) throw new AppError('overloaded', 'Too many dashboards are being checked.');
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    return await pool.run(text, { signal });
  } catch (error) {
    if (signal.aborted) return tooMuch('time');
    if (codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY') return tooMuch('memory');
    throw error;
  }
}

function tooMuch(what: string): Checked {
  return { dashboard: null, problems: [atStart(`Checking the dashboard takes too much ${what}: make it smaller.`)] };
}
