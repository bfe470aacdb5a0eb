/** Requests that need no preflight: plain text, the key in the address, no headers of our own. */
import type { Post } from '../core/delivery.ts';
import type { Answer } from '../core/verdict.ts';
import { waitOf } from '../core/verdict.ts';
import type { Settings } from './settings.ts';

const NO_ANSWER: Answer = { status: 0, wait: NaN };

/** `leaving`: whether the page is closing, so that what is sent now must outlive it. */
export function createPost(settings: Settings, leaving: () => boolean): Post {
  const { host, key, storage } = settings;
  const query = `?key=${encodeURIComponent(key)}${storage === 'none' ? '&device=daily' : ''}`;
  return async (kind, body, outlives) => {
    const address = host + (settings[kind] ?? `/${kind}`) + query;
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
      });
      return { status, wait: waitOf(headers) };
    } catch {
      return NO_ANSWER;
    }
  };
}
