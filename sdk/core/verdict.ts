/** What the server's answer means for the items sent. */

/** A status, 0 if there was no answer; and the seconds that the server asks to wait, NaN if it does not say. */
export interface Answer {
  readonly status: number;
  readonly wait: number;
}

/** Do not send it again. Verdicts are numbers to keep the script short; after the first two, sending goes on. */
export const DONE = 0;
/** Send less at once. */
export const SMALLER = 1;
/** Send nothing more to this server with this key. */
export const NEVER = 2;
/** Send it again when the server says. */
export const LATER = 3;
/** Send it again after a while. */
export const AGAIN = 4;
export type Verdict = typeof DONE | typeof SMALLER | typeof NEVER | typeof LATER | typeof AGAIN;

/** What to do after this answer to a request of so many items. */
export function verdictOf({ status, wait }: Answer, items: number): Verdict {
  if (status === 413 && items > 1) return SMALLER;
  if (isTaken(status) || status === 400 || status === 413) return DONE; // 400 and 413 would be refused every time
  if (status > 400 && status < 500 && status !== 408 && status !== 429) return NEVER;
  return wait > 0 ? LATER : AGAIN;
}

export function isTaken(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The seconds to wait according to `RateLimit-Reset` or `Retry-After`, which may be a date; NaN: none. */
export function waitOf(headers: { get(name: string): string | null }): number {
  const text = headers.get('RateLimit-Reset') ?? headers.get('Retry-After') ?? '';
  return isNaN(+text) ? (Date.parse(text) - Date.now()) / 1_000 : parseFloat(text);
}
