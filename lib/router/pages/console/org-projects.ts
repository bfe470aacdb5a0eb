/** GET /console/orgs/{orgID}: the projects of an organization. */
import type { RequestHandler } from 'express';
import type { Project } from '../../../control/types.ts';
import type { RouterContext } from '../../context.ts';
import { day } from '../figures.ts';
import { type Html, html } from '../html.ts';
import { apiForm, textField } from './api-form.ts';
import { emptyState } from './console-layout.ts';
import { dataTable } from './data-table.ts';
import { orgPage } from './org-layout.ts';
import { orgApi, projectPath } from './paths.ts';
import { shortened } from './shortened.ts';
import { forMembers, may } from './visit.ts';

export function orgProjects(context: RouterContext): RequestHandler {
  return forMembers(context, 'viewer', async (visit) => {
    const { organization } = visit;
    const projects = await context.control.projects.list(organization.id);
    return orgPage(
      visit,
      '',
      html`<section aria-labelledby="projects">
          <h2 id="projects">Projects</h2>
          <div data-region="projects">${projects.length === 0 ? nothingYet(may(visit, 'admin')) : table(projects)}</div>
        </section>
        ${may(visit, 'admin') && creation(organization.id, organization.limits.projects)}`,
    );
  });
}

function nothingYet(mayCreate: boolean): Html {
  return emptyState(
    'No projects yet.',
    mayCreate
      ? 'A project holds the events of one product. Create your first one below; you find its keys on its page.'
      : 'An admin of this organization can create one.',
  );
}

function table(projects: readonly Project[]): Html {
  const { shown, note } = shortened(projects, 'projects');
  const rows = shown.map(({ id, name, createdAt }) => [
    html`<a href="${projectPath(id)}">${name}</a>`,
    html`<code>${id}</code>`,
    day(createdAt),
  ]);
  return html`${dataTable({ label: 'Table of projects', columns: ['name', 'id', 'created'], rows, isNamed: true })}${note}`;
}

function creation(orgId: string, limit: number | null): Html {
  return html`<section aria-labelledby="new-project" class="panel">
    <h2 id="new-project">New project</h2>
    ${limit !== null && html`<p>This organization may have up to ${limit} projects.</p>`}
    ${apiForm({
      method: 'POST',
      path: orgApi(orgId, '/projects'),
      label: 'New project',
      fields: textField({ id: 'project-name', name: 'name', label: 'Name', placeholder: 'Shop, production' }),
      submit: 'Create project',
      look: 'primary',
      after: { go: '/console/projects/{id}' },
      done: 'Project created.',
    })}
  </section>`;
}
