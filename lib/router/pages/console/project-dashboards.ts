/**
 * GET /console/projects/{projectID}/dashboards and single ones below it. In the page, console/dashboard/ reads stored dashboards
 * over the session API and draws them.
 */
import type { RequestHandler } from '../../http/request.ts';
import { html } from '../html.ts';
import { projectApi, projectPagePath } from './paths.ts';
import { projectPage } from './project-layout.ts';
import { forProject, type Visiting } from './visit.ts';

export function projectDashboards(context: Visiting): RequestHandler {
  return forProject(context, 'viewer', (visit) => {
    const { id } = visit.project;
    const path = projectPagePath(id, 'dashboards');
    const named = visit.request.params['dashboardID'];
    const one = typeof named === 'string' ? named : '';
    const main = html`${one !== '' && html`<p><a href="${path}">All dashboards</a></p>`}
      <section aria-labelledby="dashboards">
        <h2 id="dashboards" ${one !== '' && html` hidden`}>Dashboards</h2>
        <div
          data-dashboards="console"
          data-api="${projectApi(id)}"
          data-path="${path}"
          data-ask="${projectPagePath(id, 'ask')}"
          data-id="${one}"
          aria-busy="true"
        >
          <p>Loading…</p>
          <noscript><p>Dashboards need JavaScript.</p></noscript>
        </div>
      </section>`;
    return projectPage(visit, 'dashboards', main, 'dashboards');
  });
}
