/** GET /console/projects/{projectID}/alerts, and single ones below it: their states, what they saw last, their YAML. */
import { shownTarget } from '../../../alerts/alert.ts';
import type { AlertRun } from '../../../control/projects/alert-runs.ts';
import type { StoredAlert } from '../../../control/projects/alerts.ts';
import { shownSecret } from '../../alert-secret.ts';
import type { RequestHandler } from '../../http/request.ts';
import { noSuch } from '../../roles.ts';
import { idParameter } from '../../http/query-string.ts';
import { minute } from '../figures.ts';
import { type Html, html } from '../html.ts';
import { apiForm, textArea } from './api-form.ts';
import { emptyState } from './console-layout.ts';
import { dataTable, facts } from './data-table.ts';
import { projectApi, projectPagePath } from './paths.ts';
import { projectPage } from './project-layout.ts';
import { forProject, type ProjectVisit, type Visiting } from './visit.ts';

/** What a new alert begins with. */
const STARTER = `version: 1
id: new-alert
title: Nothing happened for an hour
schedule: every 1h
query: "* | last 1h | count"
when: any count < 1
to:
  - webhook: https://example.com/hook
`;

export function projectAlerts(context: Visiting): RequestHandler {
  return forProject(context, 'member', async (visit) => {
    const alerts = await context.control.alerts.list(visit.project.id);
    const main = html`<section aria-labelledby="alerts">
        <h2 id="alerts">Alerts and reports</h2>
        <p>Questions that ask themselves, and tell when an answer is not as it should be. <a href="/docs/alerts">How they are written</a></p>
        <div data-region="alerts">
          ${alerts.length === 0 ? emptyState('No alerts yet.', 'Write one below, or store files with wl alert sync.') : table(visit, alerts)}
        </div>
      </section>
      <section aria-labelledby="new-alert" class="panel">
        <h2 id="new-alert">New alert</h2>
        ${saving(visit, null, STARTER)}
      </section>`;
    return projectPage(visit, 'alerts', main);
  });
} // prettier-ignore

function table({ project }: ProjectVisit, alerts: readonly StoredAlert[]): Html {
  const rows = alerts.map(({ id, alert, state, since, nextAt }) => [
    html`<a href="${pagePath(project.id, id)}">${alert.title}</a>`,
    alert.schedule,
    alert.when ?? 'report',
    badge(state, since),
    nextAt === null ? 'paused' : minute(nextAt),
  ]);
  const columns = ['title', 'schedule', { name: 'when', look: 'long' }, 'state', 'asks next (UTC)'] as const;
  return dataTable({ label: 'Table of alerts', columns, rows, isNamed: true });
}

const STATES = { ok: 'as it should be', firing: 'firing', broken: 'no answer' } as const;

function badge(state: StoredAlert['state'], since: number): Html {
  if (state === 'ok') return html`${STATES.ok}`;
  return html`<span class="badge waiting">${STATES[state]}</span> since ${minute(since)}`;
}

export function projectAlert(context: Visiting): RequestHandler {
  return forProject(context, 'member', async (visit) => {
    const { control } = context;
    const { id: projectId } = visit.project;
    const found = await control.alerts.find(projectId, idParameter(visit.request, 'alertID'));
    if (found === null) throw noSuch('alert');
    const runs = await control.alerts.runs.list(projectId, found.id);
    const { id, alert, state, since, nextAt, version, at, by } = found;
    const path = apiPath(projectId, id);
    const told = [
      ['State', badge(state, since)],
      ['Asks', alert.schedule],
      ['Next', nextAt === null ? 'paused' : `${minute(nextAt)} UTC`],
      ['Tells', alert.to.map(shownTarget).join(', ')],
      ['Version', `${version}, ${minute(at)} UTC, ${by}`],
    ] as const;
    const main = html`<p class="all-dashboards"><a href="${projectPagePath(projectId, 'alerts')}">All alerts</a></p>
      <section aria-labelledby="alert">
        <h2 id="alert">${alert.title}</h2>
        ${alert.description !== null && html`<p>${alert.description}</p>`}
        <div data-region="alert">${facts(told)}</div>
        ${apiForm({ method: 'POST', path: `${path}/runs`, label: 'Run now', submit: 'Run now', done: 'It asks as soon as it has a turn. Reload the page to see what it saw.' })}
      </section>
      <section aria-labelledby="runs">
        <h2 id="runs">Last runs</h2>
        <div data-region="runs">${runs.length === 0 ? html`<p>It has not asked yet.</p>` : runTable(runs)}</div>
      </section>
      <section aria-labelledby="yaml">
        <h2 id="yaml">YAML</h2>
        ${saving(visit, id, found.yaml)}
        ${apiForm({ method: 'DELETE', path, label: `Delete ${alert.title}`, submit: 'Delete', look: 'danger', confirm: `Delete ${alert.title} with all its versions and runs?`, go: projectPagePath(projectId, 'alerts'), done: 'Deleted.' })}
      </section>
      <section aria-labelledby="secret">
        <h2 id="secret">Secret of the webhooks</h2>
        <p>Webhooks of this project's alerts are signed with it, as <a href="/docs/alerts">the documentation</a> says.</p>
        <details><summary>Show it</summary><p><code>${shownSecret(control, projectId)}</code></p></details>
      </section>`;
    return projectPage(visit, 'alerts', main);
  });
} // prettier-ignore

function runTable(runs: readonly AlertRun[]): Html {
  const rows = runs.map(({ at, outcome, saw, told }) => [
    minute(at),
    outcome,
    saw,
    told.map(({ state, answer, ...target }) => `${shownTarget(target)}: ${state}${answer === null ? '' : ` (${answer})`}`).join(', '), // prettier-ignore
  ]);
  const columns = ['time (UTC)', 'outcome', { name: 'saw', look: 'long' }, { name: 'told', look: 'long' }] as const;
  return dataTable({ label: 'Table of runs', columns, rows });
}

/** @param id null: a new one, whose YAML has it. */
function saving({ project }: ProjectVisit, id: string | null, yaml: string): Html {
  return apiForm({
    ...(id === null
      ? { method: 'POST', path: projectApi(project.id, '/alerts') }
      : { method: 'PUT', path: apiPath(project.id, id) }),
    label: 'Save the alert',
    fields: textArea({ id: 'alert-yaml', name: 'yaml', label: 'YAML', hint: 'As wl alert validate checks it.', value: yaml, rows: 14 }), // prettier-ignore
    submit: 'Save',
    look: 'primary',
    go: `${projectPagePath(project.id, 'alerts')}/{id}`,
    done: 'Saved.',
  });
}

const apiPath = (projectId: string, id: string): string => projectApi(projectId, `/alerts/${encodeURIComponent(id)}`);

const pagePath = (projectId: string, id: string): string => `${projectPagePath(projectId, 'alerts')}/${encodeURIComponent(id)}`; // prettier-ignore
