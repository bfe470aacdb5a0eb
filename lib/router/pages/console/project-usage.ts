/** GET /console/projects/{projectID}/usage: what a project stored and asked in a month. */
import type { RequestHandler } from '../../http/request.ts';
import { html } from '../html.ts';
import { orgPath, projectPagePath } from './paths.ts';
import { projectPage } from './project-layout.ts';
import { usageOfMonth, monthLinks, monthOf } from './usage-figures.ts';
import { forProject, type Visiting } from './visit.ts';

export function projectUsage(context: Visiting): RequestHandler {
  return forProject(context, 'viewer', async (visit) => {
    const now = Date.now();
    const { id } = visit.project;
    const month = monthOf(visit.request, now);
    const days = await context.control.usage.ofProject(id, month.range);
    const main = html`<section aria-labelledby="usage">
      <h2 id="usage">Usage</h2>
      ${monthLinks(projectPagePath(id, 'usage'), month)} ${usageOfMonth(days, month.name, now)}
      <p>
        <a href="${orgPath(visit.organization.id, 'usage')}">Usage of all projects of ${visit.organization.name}</a>
      </p>
    </section>`;
    return projectPage(visit, 'usage', main);
  });
}
