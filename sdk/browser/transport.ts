/** Requests that need no preflight: plain text, the key in the address, no headers of our own. */
import type { Post } from '../core/delivery.ts';
import type { Answer } from '../core/verdict.ts';
import { waitOf } from '../core/verdict.ts';
import type { Hints } from './globals.d.ts';
import type { Settings } from './settings.ts';

/** A request without an answer would keep later ones waiting for as long as the page is open. */
const TIMEOUT_MS = 60_000;

/** Client hints that no header brings unless a page delegates them. */
const HINTS = ['platformVersion', 'model'] as const;

const NO_ANSWER: Answer = { status: 0, wait: NaN };

/** `leaving`: whether the page is closing, so that what is sent now must outlive it. */
export function createPost(settings: Settings, leaving: () => boolean): Post {
  const { host, key, storage } = settings;
  const query = new URLSearchParams({ key });
  if (storage === 'none') query.set('device', 'daily');
  // Headers bring the other client hints; these a page can only ask for.
  const keep = (found: Hints): void => HINTS.forEach((name) => query.set(name, found[name] ?? ''));
  void navigator.userAgentData?.getHighEntropyValues?.(HINTS).then(keep, keep); // an error has none
  return async (kind, body, outlives) => {
    const address = `${host}${settings[kind] ?? `/${kind}`}?${query}`;
    try {
      if (leaving() && !('keepalive' in Request.prototype)) {
        // A beacon reports no result, so its items stay in the queue: duplicates are counted once.
        navigator.sendBeacon(address, body);
        return NO_ANSWER;
      }
      const { status, headers } = await fetch(address, {
        method: 'POST',
        body,
        keepalive: outlives,
        credentials: 'omit',
        signal: AbortSignal.timeout?.(TIMEOUT_MS),
      });
      return { status, wait: waitOf(headers) };
    } catch {
      return NO_ANSWER;
    }
  };
}
