/** Checks strangers' dashboards in a separate thread, so that they cannot use up the server's time or memory. */
import { codeOf } from '../base/errors.ts';
import type { Tenant } from '../base/project.ts';
import { threadFile } from '../base/thread-file.ts';
import { ThreadPool } from '../base/thread-pool.ts';
import type { CheckedJson } from './check-thread.ts';
import { CheckTurns } from './check-turns.ts';
import { atStart } from './problem.ts';

/** Of one check; includes starting the thread. A large dashboard takes a tenth of it. */
const TIMEOUT_MS = 10_000;

/** No thread while idle: people store dashboards in bursts, then none for days. */
const pool = new ThreadPool<string, CheckedJson>({
  filename: threadFile(new URL('./check-thread.js', import.meta.url)).href,
  name: 'checkToJson',
  minThreads: 0,
  maxThreads: 1,
  idleTimeout: 20_000,
  resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 },
});

const turns = new CheckTurns();

/** Like `checkDashboard`, to JSON. Rejects with AppError `overloaded` when too many are waiting. */
export function checkApart(tenant: Tenant, text: string): Promise<CheckedJson> {
  return turns.run(tenant, () => check(text));
}

async function check(text: string): Promise<CheckedJson> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    return await pool.run(text, signal);
  } catch (error) {
    if (signal.aborted) return tooMuch('time');
    if (codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY') return tooMuch('memory');
    throw error;
  }
}

function tooMuch(what: string): CheckedJson {
  return { dashboard: null, problems: [atStart(`Checking the dashboard takes too much ${what}: make it smaller.`)] };
}
