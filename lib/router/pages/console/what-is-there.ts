/** What a project contains, on its overview: places that console/overview.ts fills, and queries to try next. */
import { type Html, html } from '../html.ts';
import { tableFrame } from './data-table.ts';
import { projectApi, projectPath } from './paths.ts';
import type { ProjectVisit } from './visit.ts';

/** Shown by the script: without scripts there is nothing to see. */
export function whatIsThere({ project: { id } }: ProjectVisit): Html {
  return html`<section
    aria-labelledby="there"
    data-overview
    data-api="${projectApi(id)}"
    data-ask="${projectPath(id, 'ask')}"
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

/** Each is a link that runs it. */
export function threeQuestions(projectId: string): Html {
  return html`<h3>Try these queries</h3>
    <ul class="links questions">
      ${QUESTIONS.map(
        ([q, meaning]) =>
          html`<li>
            <a href="${projectPath(projectId, 'ask')}#q=${encodeURIComponent(q)}">${meaning}</a> <code>${q}</code>
          </li>`,
      )}
    </ul>`;
}
