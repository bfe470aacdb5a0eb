/** GET /console/orgs/{orgID}/usage: the events of an organization in a month, and what they cost. */
import type { RequestHandler } from 'express';
import { FREE_EVENTS_PER_MONTH, USD_PER_MILLION_EVENTS } from '../../../control/price.ts';
import type { UsageMonth } from '../../../control/types.ts';
import { utcDay } from '../../../control/usage-range.ts';
import type { RouterContext } from '../../context.ts';
import { dollars, monthName, whole } from '../figures.ts';
import type { Html } from '../html.ts';
import { html } from '../html.ts';
import { chart } from './chart.ts';
import { monthLinks, monthOf } from './month.ts';
import { orgPage } from './org-layout.ts';
import { orgPath } from './paths.ts';
import { usageFigures } from './usage-figures.ts';
import { forMembers } from './visit.ts';

export function orgUsage(context: RouterContext): RequestHandler {
  return forMembers(context, 'viewer', (visit) => {
    const { organization, request } = visit;
    const now = Date.now();
    const month = monthOf(request, now);
    const { days, months } = context.control.orgUsage(organization.id, month.range);
    const title = `Events stored, ${monthName(month.name)}`;
    return orgPage(
      visit,
      'usage',
      html`${monthLinks(orgPath(organization.id, 'usage'), month)} ${months.map(bill)}
        <section aria-labelledby="usage">
          <h2 id="usage">Usage</h2>
          <p>All projects, deleted ones included. Days are those of UTC.</p>
          ${usageFigures(days, utcDay(now))}
          ${chart({ title, unit: 'events', days: days.map(({ date, events_stored: value }) => ({ date, value })) })}
        </section>`,
    );
  });
}

function bill({ month, events_stored: stored, billable_events: billable, amount_usd: amount }: UsageMonth): Html {
  const free = Math.min(stored, FREE_EVENTS_PER_MONTH);
  return html`<section class="bill panel" aria-labelledby="bill">
    <h2 id="bill">Bill of ${monthName(month)}</h2>
    <p class="amount">
      <strong>${dollars(amount)}</strong> ${
        billable === 0
          ? 'Everything so far is within the free events.'
          : html`for ${whole(billable)} events beyond the free ones, ${dollars(USD_PER_MILLION_EVENTS)} a million`
      }
    </p>
    <label for="free-events">Free events used: ${whole(free)} of ${whole(FREE_EVENTS_PER_MONTH)}</label>
    <progress id="free-events" max="${FREE_EVENTS_PER_MONTH}" value="${free}"></progress>
  </section>`;
}
