/**
 * GET /console/projects/{projectID}/person: the page of a person, whose id is in the fragment of the address, so that no log has
 * it. In the page, console/dashboard/person-place.ts draws the dashboard that is built in. Not for viewers: they see no profiles.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../../../base/files/package-folder.ts';
import type { RequestHandler } from '../../http/request.ts';
import { html } from '../html.ts';
import { projectApi, projectPagePath } from './paths.ts';
import { projectPage } from './project-layout.ts';
import { forProject, type Visiting } from './visit.ts';

/** console/person.yaml, which the build has checked. */
const DASHBOARD = `{"dashboard":${readFileSync(join(PACKAGE_FOLDER, 'dist', 'public', 'console', 'person.json'), 'utf8')}}`;

export function projectPerson(context: Visiting): RequestHandler {
  return forProject(context, 'member', (visit) => {
    const { id } = visit.project;
    const main = html`<section aria-label="Person">
      <div
        data-dashboards="person"
        data-api="${projectApi(id)}"
        data-ask="${projectPagePath(id, 'ask')}"
        data-definition="${DASHBOARD}"
        aria-busy="true"
      >
        <p>Loading…</p>
        <noscript><p>This page needs JavaScript.</p></noscript>
      </div>
    </section>`;
    return projectPage(visit, 'person', main, 'dashboards');
  });
}
