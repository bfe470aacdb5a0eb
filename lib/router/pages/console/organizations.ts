/** GET /console: the organizations of the account, with their projects. */
import type { RequestHandler } from 'express';
import type { Membership } from '../../../control/types.ts';
import type { RouterContext } from '../../context.ts';
import { type Html, html } from '../html.ts';
import { apiForm, textField } from './api-form.ts';
import { consolePage, emptyState } from './console-layout.ts';
import { orgPath, projectPath } from './paths.ts';
import { forAccounts } from './visit.ts';

/** Projects shown per organization; its own page has more. */
const SHOWN_PROJECTS = 8;

export function organizations(context: RouterContext): RequestHandler {
  return forAccounts(context, async (visit) => {
    const { account } = visit;
    const memberships = await context.control.members.ofAccount(account.id);
    const cards: Html[] = [];
    for (const membership of memberships) cards.push(await card(context, membership));
    const main = html`<div data-region="organizations">
        ${
          memberships.length === 0
            ? emptyState(
                'You do not belong to an organization.',
                'Create one below, or ask an owner to invite your e-mail address.',
              )
            : html`<ul class="cards">
                ${cards}
              </ul>`
        }
      </div>
      <section aria-labelledby="new-org" class="panel">
        <h2 id="new-org">New organization</h2>
        <p>An organization has its own projects, members and bill.</p>
        ${apiForm({
          method: 'POST',
          path: '/api/orgs',
          label: 'New organization',
          fields: textField({ id: 'org-name', name: 'name', label: 'Name' }),
          submit: 'Create organization',
          after: { go: '/console/orgs/{id}' },
          done: 'Organization created.',
        })}
      </section>`;
    return consolePage({ visit, title: 'Your organizations', crumbs: [], main });
  });
}

async function card({ control }: RouterContext, { organization, role }: Membership): Promise<Html> {
  const { projects, count } = await control.projects.oldest(organization.id, SHOWN_PROJECTS);
  return html`<li class="card">
    <h2><a href="${orgPath(organization.id)}">${organization.name}</a></h2>
    <p class="badge">${role}</p>
    ${
      projects.length === 0
        ? html`<p>No projects yet. <a href="${orgPath(organization.id)}">Create one</a>.</p>`
        : html`<ul class="links">
            ${projects.map(({ id, name }) => html`<li><a href="${projectPath(id)}">${name}</a></li>`)}
          </ul>`
    }
    ${
      count > SHOWN_PROJECTS &&
      html`<p><a href="${orgPath(organization.id)}">All ${count} projects in ${organization.name}</a></p>`
    }
  </li>`;
}
