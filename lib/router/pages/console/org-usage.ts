/** GET /console/orgs/{orgID}/usage: the events of an organization in a month, and their cost. */
import type { RequestHandler } from 'express';
import { billOf, type Price } from '../../../control/usage/price.ts';
import type { UsageMonth } from '../../../control/types.ts';
import type { RouterContext } from '../../context.ts';
import { money, monthName, unitPrice, whole } from '../figures.ts';
import { type Html, html } from '../html.ts';
import { chart } from './chart.ts';
import { monthLinks, monthOf } from './month.ts';
import { orgPage } from './org-layout.ts';
import { orgPath } from './paths.ts';
import { usageFigures } from './usage-figures.ts';
import { forMembers } from './visit.ts';
import { utcDay } from '../../../base/day.ts';

export function orgUsage(context: RouterContext): RequestHandler {
  return forMembers(context, 'viewer', async (visit) => {
    const { organization, request } = visit;
    const now = Date.now();
    const month = monthOf(request, now);
    const { days, months } = await context.control.usage.ofOrg(organization.id, month.range);
    const { price } = context.control.operator;
    const title = `Events stored, ${monthName(month.name)}`;
    return orgPage(
      visit,
      'usage',
      html`${monthLinks(orgPath(organization.id, 'usage'), month)}
        ${price !== null && months.map((each) => bill(each, price))}
        <section aria-labelledby="usage">
          <h2 id="usage">Usage</h2>
          <p>All projects, including deleted ones. Days are in UTC.</p>
          ${usageFigures(days, utcDay(now))}
          ${chart({ title, unit: 'events', days: days.map(({ date, events_stored: value }) => ({ date, value })) })}
        </section>`,
    );
  });
}

function bill({ month, events_stored: stored }: UsageMonth, price: Price): Html {
  const { currency, perMillion, freeEvents } = price;
  const { billableEvents, amount } = billOf(stored, price);
  const free = Math.min(stored, freeEvents);
  return html`<section class="bill panel" aria-labelledby="bill">
    <h2 id="bill">Bill for ${monthName(month)}</h2>
    <p class="amount">
      <strong>${money(amount, currency)}</strong> ${
        billableEvents === 0
          ? stored > 0 && 'All events so far are free.'
          : html`for ${whole(billableEvents)} events${freeEvents > 0 && ' beyond the free allowance'},
            ${unitPrice(perMillion, currency)} per million`
      }
    </p>
    ${
      freeEvents > 0 &&
      html`<label for="free-events">Free events used: ${whole(free)} of ${whole(freeEvents)}</label>
        <progress id="free-events" max="${freeEvents}" value="${free}"></progress>`
    }
  </section>`;
}
