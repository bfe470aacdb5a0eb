/** Checks dashboards of strangers, in a thread of their own: neither time nor memory of the server is theirs. */
import { Piscina } from 'piscina';
import { AppError, codeOf } from '../base/errors.ts';
import { threadFile } from '../base/thread-file.ts';
import type { Checked } from './check.ts';
import { atStart } from './problem.ts';

/** Starting the thread included; a large dashboard takes a tenth. */
const TIMEOUT_MS = 10_000;
/** Checks that wait, each with its text. */
const MAX_WAITING = 32;

/** Without work there is no thread: dashboards are stored by the handful, and then for days not. */
const pool = new Piscina<string, Checked>({
  filename: threadFile(new URL('./check-thread.js', import.meta.url)).href,
  name: 'checkDashboard',
  minThreads: 0,
  maxThreads: 1,
  maxQueue: MAX_WAITING,
  idleTimeout: 20_000,
  resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 },
});

/** As `checkDashboard`. Rejects with AppError `overloaded` when too many wait. */
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
