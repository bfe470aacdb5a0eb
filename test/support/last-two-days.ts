import { DAY_MS } from '../../lib/base/day.ts';

/** Yesterday and today, UTC: the days of what was done a moment ago, though a day has begun since. */
export function lastTwoDays(): { readonly from: string; readonly to: string } {
  const [from = '', to = ''] = [DAY_MS, 0].map((ago) => new Date(Date.now() - ago).toISOString().slice(0, 10));
  return { from, to };
}
