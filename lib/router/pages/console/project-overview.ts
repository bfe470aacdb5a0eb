/** GET /console/projects/{projectID}: what the project holds and got in a month, and how to send the first event. */
import type { RequestHandler } from 'express';
import type { RouterContext } from '../../context.ts';
import { monthName } from '../figures.ts';
import { hostAddress } from '../host-address.ts';
import { type Html, html } from '../html.ts';
import { snippet } from '../snippet.ts';
import { chart } from './chart.ts';
import { tableFrame } from './data-table.ts';
import { monthLinks, monthOf } from './month.ts';
import { projectApi, projectPath } from './paths.ts';
import { projectPage } from './project-layout.ts';
import { usageFigures } from './usage-figures.ts';
import { type ProjectVisit, forProject } from './visit.ts';
import { threeQuestions, whatIsThere } from './what-is-there.ts';
import { DAY_MS, utcDay } from '../../../base/day.ts';

/** Days during which a project without events counts as new. */
const LOOK_BACK_DAYS = 365;

export function projectOverview(context: RouterContext): RequestHandler {
  return forProject(context, 'viewer', async (visit) => {
    const now = Date.now();
    const { id } = visit.project;
    const month = monthOf(visit.request, now);
    const days = await context.control.usage.ofProject(id, month.range);
    const year = await context.control.usage.ofProject(id, {
      from: utcDay(now - LOOK_BACK_DAYS * DAY_MS),
      to: utcDay(now),
    });
    const isNew = year.every(({ events_ingested: events }) => events === 0);
    const usage = html`<section aria-labelledby="usage">
      <h2 id="usage">Usage</h2>
      ${monthLinks(projectPath(id), month)}
      <div data-region="usage">
        ${usageFigures(days, utcDay(now))}
        ${chart({ title: `Events stored, ${monthName(month.name)}`, unit: 'events', days: days.map(({ date, events_stored: value }) => ({ date, value })) })}
      </div>
    </section>`;
    const sending = firstEvent(visit, hostAddress(visit.request, context), isNew);
    const main = isNew ? html`${sending}${usage}` : html`${whatIsThere(visit)}${usage}${sending}`;
    return projectPage(visit, '', main, 'overview');
  });
}

function firstEvent({ project }: ProjectVisit, address: string, isNew: boolean): Html {
  const { id, publicKey } = project;
  const script = `<script async src="${address}/public/wl.js" data-key="${publicKey}" data-host="${address}"></script>`;
  const curl = `curl -s ${address}/track \\\n  -H 'X-API-Key: ${publicKey}' \\\n  -d '{"event_type": "signup", "user_id": "ann"}'`;
  return html`<section
    aria-labelledby="first-event"
    class="panel"
    data-first-event
    data-query="${projectApi(id, '/query')}"
    data-key="${publicKey}"
    data-new="${isNew ? 'yes' : 'no'}"
  >
    <h2 id="first-event">${isNew ? 'Send your first event' : 'Send an event'}</h2>
    <p>
      ${isNew && html`<span data-nothing>No events yet. </span>`}Put this in the head of a page to count page views and
      sessions. The public key can only send events, so it is safe there:
    </p>
    ${snippet(script, 'count page views')}
    <p>From anywhere else:</p>
    ${snippet(curl, 'send an event with curl')}
    <div class="submit">
      <button type="button" class="${isNew ? 'primary' : 'plain'}" data-send hidden>Send a test event from here</button>
      <button type="button" class="plain" data-watch hidden>Watch for events</button>
      <a href="/public/demo.html?${new URLSearchParams({ key: publicKey, project: id }).toString()}">Demo page</a>
    </div>
    <p class="watch" role="status" data-watched></p>
    ${arrivals(id, isNew)}
  </section>`;
}

/** Filled by public/console/first-event.js: events as they arrive, and what to do with the first one. */
function arrivals(projectId: string, isNew: boolean): Html {
  return html`<div data-arrivals hidden>
    ${tableFrame('Events as they arrive', ['event', 'person', 'properties', 'ago'], html`<tbody data-events></tbody>`)}
    ${isNew && threeQuestions(projectId)}
  </div>`;
}
