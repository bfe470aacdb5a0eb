/**
 * GET /console/projects/{projectID}/dashboards and single ones below it. In the page, console/dashboard/ draws what the page has, or
 * reads the list over the session API.
 */
import type { RequestHandler } from '../../http/request.ts';
import { dashboardTextJson } from '../../find-dashboard.ts';
import { html } from '../html.ts';
import { projectApi, projectPagePath } from './paths.ts';
import { projectPage } from './project-layout.ts';
import { forProject, may, personPath, type ProjectVisit, type Visiting } from './visit.ts';

export function projectDashboards(context: Visiting): RequestHandler {
  return forProject(context, 'viewer', async (visit) => {
    const { id } = visit.project;
    const path = projectPagePath(id, 'dashboards');
    const named = visit.request.params['dashboardID'];
    const one = typeof named === 'string' ? named : '';
    const definition = one === '' || !context.config.dashboards ? null : await storedText(context, visit, one);
    const main = html`<section aria-labelledby="dashboards">
      <h2 id="dashboards" ${one !== '' && html` hidden`}>Dashboards</h2>
      <div
        data-dashboards="console"
        data-api="${projectApi(id)}"
        data-path="${path}"
        data-ask="${projectPagePath(id, 'ask')}"
        data-person="${personPath(visit)}"
        data-id="${one}"
        data-new="${may(visit, 'member') && projectPagePath(id, 'new-dashboard')}"
        ${definition !== null && html`data-definition="${definition}"`}
        aria-busy="true"
      >
        <p>Loading…</p>
        <noscript><p>Dashboards need JavaScript.</p></noscript>
      </div>
    </section>`;
    return projectPage(visit, 'dashboards', main, 'dashboards');
  });
}

/** What the API answers for it, so that the page need not ask; null: there is none, which the script then tells. */
async function storedText({ control }: Visiting, visit: ProjectVisit, id: string): Promise<string | null> {
  for (const owner of [visit.account.id, null]) {
    const found = await control.dashboards.find({ projectId: visit.project.id, id, owner });
    if (found !== null) return dashboardTextJson(control, found);
  }
  return null;
}
