/** What the server's answer means for the items sent. */

/** A status, 0 if there was no answer; and the seconds that the server asks to wait, NaN if it does not say. */
export interface Answer {
  readonly status: number;
  readonly wait: number;
}

/** `done`: do not send it again; `smaller`: send less at once; `never`: not to this server with this key; `later`, `again`. */
export type Verdict = 'done' | 'smaller' | 'never' | 'later' | 'again';

/** What to do after this answer to a request of so many items. */
export function verdictOf({ status, wait }: Answer, items: number): Verdict {
  if (status === 413 && items > 1) return 'smaller';
  if (isTaken(status) || status === 400 || status === 413) return 'done'; // 400 and 413 would be refused every time
  if (status > 400 && status < 500 && status !== 408 && status !== 429) return 'never';
  return wait > 0 ? 'later' : 'again';
}

export function isTaken(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The seconds to wait according to `RateLimit-Reset` or `Retry-After`, which may be a date; NaN: none. */
export function waitOf(headers: { get(name: string): string | null }): number {
  const text = headers.get('RateLimit-Reset') ?? headers.get('Retry-After') ?? '';
  return text && isNaN(+text) ? (Date.parse(text) - Date.now()) / 1_000 : parseFloat(text);
}
