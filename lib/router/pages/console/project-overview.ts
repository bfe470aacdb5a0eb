/** GET /console/projects/{projectID}: what the project holds, and how to send the first event. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../../../base/files/package-folder.ts';
import type { RequestHandler } from '../../http/request.ts';
import { hostAddress } from '../docs-page.ts';
import { installClient, installWl } from '../downloads.ts';
import { type Html, html, snippet } from '../html.ts';
import { tableFrame } from './data-table.ts';
import { projectApi, projectPagePath } from './paths.ts';
import { projectPage } from './project-layout.ts';
import { storedOtherwise } from './usage-figures.ts';
import { forProject, personPath, type ProjectVisit, type Visiting } from './visit.ts';
import { DAY_MS, utcDay } from '../../../base/day.ts';

export function projectOverview(context: Visiting): RequestHandler {
  return forProject(context, 'viewer', async (visit) => {
    const now = Date.now();
    const { id } = visit.project;
    const year = await context.control.usage.ofProject(id, {
      from: utcDay(now - 365 * DAY_MS), // days during which a project without events counts as new
      to: utcDay(now),
    });
    const isNew = year.every(({ events_ingested: events }) => events === 0);
    const sending = sendingEvents(visit, hostAddress(visit.request, context), isNew);
    // Days of which the page says what was not stored as it was sent.
    const recent = storedOtherwise(year.filter(({ date }) => date > utcDay(now - 30 * DAY_MS)));
    const main = isNew
      ? html`${sending}${recent}`
      : html`${overviewBoard(visit)}${recent}${threeQuestions(id)}${sending}`;
    return projectPage(visit, '', main, 'dashboards');
  });
}

/** Folded once there are events. */
function sendingEvents(visit: ProjectVisit, address: string, isNew: boolean): Html {
  const { id, publicKey } = visit.project;
  const title = html`<h2 id="first-event">${isNew ? 'Send your first event' : 'Send an event'}</h2>`;
  const content = html`<p>
      ${isNew && html`<span data-nothing>No events yet. </span>`}Add this to the head of your pages. It counts page
      views and sessions; the key is public.
    </p>
    ${waysToSend(publicKey, address)}
    <div class="submit">
      <button type="button" class="${isNew ? 'primary' : 'plain'}" data-send hidden>Send a test event from here</button>
      <button type="button" class="plain" data-watch hidden>Watch for events</button>
      <a
        class="button quiet"
        href="/public/demo.html?${new URLSearchParams({ key: publicKey, project: id }).toString()}"
        >Demo page</a
      >
    </div>
    <p class="watch" role="status" data-watched></p>
    ${arrivals(id, isNew)}`;
  return html`<section
    aria-labelledby="first-event"
    class="panel"
    data-first-event
    data-query="${projectApi(id, '/query')}"
    data-key="${publicKey}"
    data-person="${personPath(visit)}"
    data-new="${isNew ? 'yes' : 'no'}"
  >
    ${
      isNew
        ? html`${title}${content}`
        : html`<details>
            <summary>${title}</summary>
            ${content}
          </details>`
    }
  </section>`;
}

function waysToSend(key: string, address: string): Html {
  const script = `<script async src="${address}/public/wl.js" data-key="${key}" data-host="${address}"></script>`;
  const curl = `curl -s ${address}/track \\\n  -H 'X-API-Key: ${key}' \\\n  -d '{"event_type": "signup", "user_id": "ann"}'`;
  return html`${snippet(script, 'count page views')}
    <p>From anywhere else:</p>
    ${snippet(curl, 'send an event with curl')}
    <p>With <code>wl</code> at a terminal (Node 22.12 or newer), or with <code>windlass-client</code> in a program:</p>
    ${snippet(installWl(address), 'install wl')} ${snippet(installClient(address), 'install windlass-client')}`;
}

/** Filled by public/console/first-event.js: events as they arrive, and what to do with the first one. */
function arrivals(projectId: string, isNew: boolean): Html {
  return html`<div data-arrivals hidden>
    ${tableFrame('Events as they arrive', ['event', 'person', 'properties', 'ago'], html`<tbody data-events></tbody>`)}
    ${isNew && html`<p><a class="button" href="${projectPagePath(projectId)}">Show the overview</a></p>`}
    ${isNew && threeQuestions(projectId)}
  </div>`;
}

/** The dashboard that is built in: console/overview.yaml, which the build has checked. */
const DASHBOARD = `{"dashboard":${readFileSync(join(PACKAGE_FOLDER, 'dist', 'public', 'console', 'overview.json'), 'utf8')}}`;

function overviewBoard(visit: ProjectVisit): Html {
  const { id } = visit.project;
  return html`<section aria-label="Overview">
    <div
      data-dashboards="console"
      data-api="${projectApi(id)}"
      data-ask="${projectPagePath(id, 'ask')}"
      data-person="${personPath(visit)}"
      data-definition="${DASHBOARD}"
      aria-busy="true"
    >
      <noscript><p>The overview needs JavaScript.</p></noscript>
    </div>
  </section>`;
}

const QUESTIONS: readonly (readonly [q: string, meaning: string])[] = [
  ['inspect *', 'All events'],
  ['* | last 7d | count, unique by day', 'Events and people per day'],
  ['sessions | last 7d | by session.landing_path', 'Sessions by landing page'],
];

function threeQuestions(projectId: string): Html {
  return html`<section aria-labelledby="try">
    <h2 id="try">Try these queries</h2>
    <ul class="links questions">
      ${QUESTIONS.map(
        ([q, meaning]) =>
          html`<li>
            <a href="${projectPagePath(projectId, 'ask')}#q=${encodeURIComponent(q)}">${meaning}</a> <code>${q}</code>
          </li>`,
      )}
    </ul>
  </section>`;
}
