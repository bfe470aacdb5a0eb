/** The usage of a month: its totals, and a chart by day. */
import type { ProjectUsageRow } from '../../../control/types.ts';
import { utcDay, DAY_MS } from '../../../base/day.ts';
import { brief, bytes, monthName, grouped } from '../figures.ts';
import { type Html, html } from '../html.ts';
import { chart } from './chart.ts';
import { facts } from './data-table.ts';
import type { IncomingMessage } from 'node:http';
import type { UsageRange } from '../../../control/usage/usage-range.ts';
import { queryParameters } from '../../http/query-string.ts';

type Counter = Exclude<keyof ProjectUsageRow, 'date' | 'bytes_stored'>;

/** `month`: YYYY-MM. */
export function usageOfMonth(days: readonly ProjectUsageRow[], month: string, now: number): Html {
  const stored = days.map(({ date, events_stored: value }) => ({ date, value }));
  return html`${usageFigures(days, now)}
  ${chart({ title: `Events stored, ${monthName(month)}`, unit: 'events', days: stored })}`;
}

export function usageFigures(days: readonly ProjectUsageRow[], now: number): Html {
  const today = utcDay(now);
  const sum = (field: Counter): number => days.reduce((total, row) => total + row[field], 0);
  const stored = days.findLast(({ date }) => date <= today)?.bytes_stored ?? 0;
  const expected = expectedInMonth(sum('events_stored'), days[0]?.date.slice(0, 7) ?? '', now);
  return facts(
    [
      ['Events stored', count(sum('events_stored'))],
      ...(expected === null ? [] : [['Expected this month', html`about ${brief(expected)}`] as const]),
      ['Duplicates skipped', count(sum('events_duplicate'))],
      ['Rejected or dropped', count(sum('events_rejected') + sum('events_dropped'))],
      ['Queries', count(sum('queries_run'))],
      ['On disk', stored === 0 && sum('events_stored') > 0 ? 'not known yet' : bytes(stored)],
    ],
    'figures',
  );
}

/** What a month will have at the pace so far. null: it is over, or has begun less than a day ago. `month`: YYYY-MM. */
export function expectedInMonth(stored: number, month: string, now: number): number | null {
  const start = Date.parse(`${month}-01`);
  const end = Date.parse(`${shift(month, 1)}-01`);
  if (now - start < DAY_MS || now >= end) return null;
  return (stored * (end - start)) / (now - start);
}

/** What was not stored as it was sent in these days; null if all was. */
export function storedOtherwise(days: readonly ProjectUsageRow[]): Html | null {
  const sum = (field: Counter): number => days.reduce((total, row) => total + row[field], 0);
  const kinds = (
    [
      [sum('times_replaced'), 'times could not be read or lay ahead, so the time of arrival was taken'],
      [sum('fields_ignored'), 'unknown fields were left out'],
      [sum('values_trimmed'), 'values were cut or left out'],
      [sum('ids_ignored'), 'ids stood for nobody'],
    ] as const
  ).filter(([many]) => many > 0);
  if (kinds.length === 0) return null;
  return html`<section aria-labelledby="otherwise" class="panel">
    <h2 id="otherwise">Stored otherwise than sent, last 30 days</h2>
    <ul>
      ${kinds.map(([many, what]) => html`<li>${count(many)} ${what}</li>`)}
    </ul>
    <p>
      Send with <code>?report=true</code> to see which, or with <code>?strict=true</code> to have such events refused.
    </p>
  </section>`;
}

/** In full below 100,000; larger ones are shortened, with the full number as title. */
function count(value: number): Html {
  return html`<span title="${grouped(value)}">${value < 100_000 ? grouped(value) : brief(value)}</span>`;
}

/** The month that a usage page shows: `?month=2026-11`, by default the current one. */
export interface Month {
  readonly name: string; // YYYY-MM
  readonly range: UsageRange;
  readonly previous: string;
  /** null: this is the current month. */
  readonly next: string | null;
}

/** The current month instead of an invalid or future one. */
export function monthOf(request: IncomingMessage, now: number): Month {
  const current = utcDay(now).slice(0, 7);
  const asked = queryParameters(request).get('month') ?? '';
  const name = /^20\d\d-(?:0[1-9]|1[0-2])$/.test(asked) && asked < current ? asked : current;
  const next = shift(name, 1);
  const last = utcDay(Date.parse(`${next}-01`) - DAY_MS);
  return {
    name,
    range: { from: `${name}-01`, to: last },
    previous: shift(name, -1),
    next: name < current ? next : null,
  };
}

function shift(month: string, by: number): string {
  const date = new Date(`${month}-01T00:00:00Z`);
  date.setUTCMonth(date.getUTCMonth() + by);
  return date.toISOString().slice(0, 7);
}

export function monthLinks(path: string, { name, previous, next }: Month): Html {
  return html`<nav class="months" aria-label="Month">
    <a class="button quiet" href="${path}?month=${previous}" aria-label="${monthName(previous)}"
      >← ${monthName(previous)}</a
    >
    <strong aria-current="true">${monthName(name)}</strong>
    ${next !== null && html`<a class="button quiet" href="${path}?month=${next}" aria-label="${monthName(next)}">${monthName(next)} →</a>`}
  </nav>`;
}
