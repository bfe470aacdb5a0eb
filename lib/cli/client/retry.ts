/** Which failures to retry, and after how long. */
import { setTimeout as sleep } from 'node:timers/promises';
import { TransportError } from './client-error.ts';

/**
 * `never`; `rate`: if the server refused for now (429), which did nothing; `safe`: also 5xx, for requests that may run twice;
 * `stream`: also without an answer, for long ones that must survive a restart of the server; `patient`: after a 429 as often as it takes.
 */
export type RetryPolicy = 'never' | 'rate' | 'safe' | 'stream' | 'patient';

/** The result of an attempt: a status with its Retry-After, or no answer. */
export type AttemptResult = { readonly status: number; readonly retryAfter: string | null } | TransportError;

/** After the first try. */
export const MAX_RETRIES = 3;

const BASE_DELAY_MS = 500; // doubled for each retry
const MAX_DELAY_MS = 600_000; // longer pauses are not waited for
const JITTER_MS = 1_000; // clients refused together should not return together

/** Milliseconds to wait after `tries` tries; null: give up. */
export function delayBefore(
  policy: RetryPolicy,
  outcome: AttemptResult,
  { tries, now, random }: { tries: number; now: number; random: number },
): number | null {
  const isLimit = policy === 'patient' && !(outcome instanceof TransportError) && outcome.status === 429;
  if ((tries > MAX_RETRIES && !isLimit) || !isPassing(policy, outcome)) return null;
  const backoff = BASE_DELAY_MS * 2 ** (isLimit ? 0 : tries - 1) * (0.5 + random / 2);
  const asked = outcome instanceof TransportError ? null : pauseOf(outcome.retryAfter, now);
  if (asked === null) return backoff;
  return asked > MAX_DELAY_MS ? null : Math.max(backoff, asked + Math.min(JITTER_MS, asked / 10) * random);
}

/** Rejects with the signal's reason if it is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

function isPassing(policy: RetryPolicy, outcome: AttemptResult): boolean {
  if (policy === 'never') return false;
  if (outcome instanceof TransportError)
    return (policy === 'stream' || policy === 'patient') && outcome.trouble !== 'certificate';
  if (outcome.status === 429) return true;
  return policy !== 'rate' && outcome.status >= 500 && outcome.status !== 504; // the same query would take as long again
}

/** Milliseconds that a Retry-After asks for, in seconds or as a date; null if it has none. */
function pauseOf(retryAfter: string | null, now: number): number | null {
  if (retryAfter === null) return null;
  if (/^\d{1,12}$/.test(retryAfter.trim())) return Number(retryAfter) * 1_000;
  const date = Date.parse(retryAfter);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
