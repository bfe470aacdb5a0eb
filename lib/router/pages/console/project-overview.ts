/** GET /console/projects/{projectID}: what the project holds and got in a month, and how to send the first event. */
import type { RequestHandler } from '../../http/request.ts';
import { hostAddress } from '../docs-page.ts';
import { type Html, html, snippet } from '../html.ts';
import { tableFrame } from './data-table.ts';
import { projectApi, projectPagePath } from './paths.ts';
import { projectPage } from './project-layout.ts';
import { storedOtherwise, usageOfMonth, monthLinks, monthOf } from './usage-figures.ts';
import { forProject, type ProjectVisit, type Visiting } from './visit.ts';
import { DAY_MS, utcDay } from '../../../base/day.ts';

export function projectOverview(context: Visiting): RequestHandler {
  return forProject(context, 'viewer', async (visit) => {
    const now = Date.now();
    const { id } = visit.project;
    const month = monthOf(visit.request, now);
    const days = await context.control.usage.ofProject(id, month.range);
    const year = await context.control.usage.ofProject(id, {
      from: utcDay(now - 365 * DAY_MS), // days during which a project without events counts as new
      to: utcDay(now),
    });
    const isNew = year.every(({ events_ingested: events }) => events === 0);
    const usage = html`<section aria-labelledby="usage">
      <h2 id="usage">Usage</h2>
      ${monthLinks(projectPagePath(id), month)}
      <div data-region="usage">${usageOfMonth(days, month.name, now)}</div>
    </section>`;
    const sending = firstEvent(visit, hostAddress(visit.request, context), isNew);
    // Days of which the page says what was not stored as it was sent.
    const recent = storedOtherwise(year.filter(({ date }) => date > utcDay(now - 30 * DAY_MS)));
    const main = isNew ? html`${sending}${recent}${usage}` : html`${whatIsThere(visit)}${recent}${usage}${sending}`;
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

/** What a project contains, on its overview: places that console/overview.ts fills, and queries to try next. */

/** Shown by the script: without scripts there is nothing to see. */
function whatIsThere({ project: { id } }: ProjectVisit): Html {
  return html`<section
    aria-labelledby="there"
    data-overview
    data-api="${projectApi(id)}"
    data-ask="${projectPagePath(id, 'ask')}"
    hidden
  >
    <h2 id="there">Last 30 days</h2>
    <div class="problem" role="alert" data-trouble hidden></div>
    <dl class="figures">
      ${FIGURES.map(
        ([name, text]) =>
          html`<div>
            <dt>${text}</dt>
            <dd data-figure="${name}">…</dd>
          </div>`,
      )}
    </dl>
    <h3>Events by day</h3>
    <div class="by-day" data-days></div>
    <h3>Top 10 events</h3>
    ${tableFrame('Top 10 events', ['event', { name: 'events', look: 'number' }, { name: 'users', look: 'number' }], html`<tbody data-top></tbody>`)}
    <h3>Latest events</h3>
    ${tableFrame('Latest events', ['event', 'person', 'properties', 'ago'], html`<tbody data-latest></tbody>`)}
    <p><button type="button" class="plain" data-again hidden>Keep watching</button></p>
    ${threeQuestions(id)}
  </section>`;
}

const FIGURES = [
  ['events', 'Events'],
  ['users', 'Users'],
  ['events-today', 'Events today'],
  ['users-today', 'Users today'],
] as const;

const QUESTIONS: readonly (readonly [q: string, meaning: string])[] = [
  ['inspect *', 'Which events exist, and how many of each'],
  ['* | last 7d | count, unique by day', 'Events and people per day'],
  ['sessions | last 7d | by session.landing_path', 'Where sessions start, how long they last, and how many bounce'],
];

function threeQuestions(projectId: string): Html {
  return html`<h3>Try these queries</h3>
    <ul class="links questions">
      ${QUESTIONS.map(
        ([q, meaning]) =>
          html`<li>
            <a href="${projectPagePath(projectId, 'ask')}#q=${encodeURIComponent(q)}">${meaning}</a> <code>${q}</code>
          </li>`,
      )}
    </ul>`;
}
