/** The month that a usage page shows: `?month=2026-11`, by default the current one. */
import type { IncomingMessage } from 'node:http';
import type { UsageRange } from '../../../control/usage/usage-range.ts';
import { queryParameters } from '../../http/query-string.ts';
import { monthName } from '../figures.ts';
import { type Html, html } from '../html.ts';
import { DAY_MS, utcDay } from '../../../base/day.ts';

export interface Month {
  readonly name: string; // YYYY-MM
  /** All of its days. */
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
