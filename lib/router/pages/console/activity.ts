/** Signs of life in lists of projects and organizations: events today, a bar for each of 14 days, the last day with events. */
import type { Activity } from '../../../control/usage/usage.ts';
import { DAY_MS, utcDay } from '../../../base/day.ts';
import { brief, day, grouped } from '../figures.ts';
import { type Html, html } from '../html.ts';

const HEIGHT = 24;
const SLOT = 6;
const BAR = 4;

/** Bars by day, as high as the largest. Read out as a sentence. */
export function sparkline({ days }: Activity): Html {
  const most = Math.max(1, ...days);
  const total = days.reduce((sum, value) => sum + value, 0);
  return html`<svg class="sparkline" viewBox="0 0 ${days.length * SLOT} ${HEIGHT}" role="img" aria-label="${grouped(total)} events in the last ${days.length} days">
    ${days.map((value, at) => {
      const height = value === 0 ? 1 : Math.max(2, Math.round((HEIGHT * value) / most));
      return html`<rect x="${at * SLOT}" y="${HEIGHT - height}" width="${BAR}" height="${height}" rx="1" />`;
    })}
  </svg>`;
} // prettier-ignore

/** Events of today (UTC). */
export function eventsToday(activity: Activity | null | undefined): Html {
  const today = activity?.days.at(-1) ?? 0;
  return html`<span title="${grouped(today)}">${today < 100_000 ? grouped(today) : brief(today)}</span>`;
}

/** The last day with events: `today`, `yesterday`, or its date. */
export function lastEvent(activity: Activity | null | undefined): string {
  if (activity === null || activity === undefined) return 'none yet';
  const now = Date.now();
  if (activity.last >= utcDay(now)) return 'today';
  return activity.last === utcDay(now - DAY_MS) ? 'yesterday' : day(Date.parse(activity.last));
}
