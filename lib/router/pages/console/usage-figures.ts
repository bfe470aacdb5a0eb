/** The usage of a month: its totals, and a chart by day. */
import type { UsageRow } from '../../../control/types.ts';
import { utcDay } from '../../../base/day.ts';
import { brief, bytes, monthName, whole } from '../figures.ts';
import { type Html, html } from '../html.ts';
import { chart } from './chart.ts';
import { facts } from './data-table.ts';

type Counter = Exclude<keyof UsageRow, 'date' | 'bytes_stored'>;

/** `month`: YYYY-MM. */
export function usageOfMonth(days: readonly UsageRow[], month: string, now: number): Html {
  const stored = days.map(({ date, events_stored: value }) => ({ date, value }));
  return html`${usageFigures(days, utcDay(now))}
  ${chart({ title: `Events stored, ${monthName(month)}`, unit: 'events', days: stored })}`;
}

export function usageFigures(days: readonly UsageRow[], today: string): Html {
  const sum = (field: Counter): number => days.reduce((total, row) => total + row[field], 0);
  const stored = days.findLast(({ date }) => date <= today)?.bytes_stored ?? 0;
  return facts(
    [
      ['Events stored', count(sum('events_stored'))],
      ['Duplicates skipped', count(sum('events_duplicate'))],
      ['Rejected or dropped', count(sum('events_rejected') + sum('events_dropped'))],
      ['Queries', count(sum('queries_run'))],
      ['On disk', stored === 0 && sum('events_stored') > 0 ? 'not known yet' : bytes(stored)],
    ],
    'figures',
  );
}

/** In full below 100,000; larger ones are shortened, with the full number as title. */
function count(value: number): Html {
  return html`<span title="${whole(value)}">${value < 100_000 ? whole(value) : brief(value)}</span>`;
}
