/** GET /console/ask: where "Run this" leads. Ask in the visitor's project; with several, first the choice of one. */
import type { RequestHandler } from '../../http/request.ts';
import { type Html, html } from '../html.ts';
import { consolePage, emptyState } from './console-layout.ts';
import { MAX_PAGE } from '../../../control/storage/connection.ts';
import { orgPath, projectPagePath } from './paths.ts';
import { forAccounts, type Visiting } from './visit.ts';

export function chooseProject(context: Visiting): RequestHandler {
  return forAccounts(context, async (visit) => {
    const memberships = await context.control.members.ofAccount(visit.account.id);
    const choices: { readonly id: string; readonly name: string }[] = [];
    const groups: Html[] = [];
    for (const { organization } of memberships) {
      const { projects, count } = await context.control.projects.oldest(organization.id, MAX_PAGE);
      choices.push(...projects);
      groups.push(
        html`<h2>${organization.name}</h2>
          <ul class="links" data-carry>
            ${projects.map(({ id, name }) => html`<li><a href="${projectPagePath(id, 'ask')}">${name}</a></li>`)}
          </ul>
          ${count > projects.length && html`<p><a href="${orgPath(organization.id)}">All ${count} projects</a></p>`}`,
      );
    }
    const [only] = choices;
    if (choices.length === 1 && only !== undefined) return projectPagePath(only.id, 'ask'); // browsers carry the fragment along
    return consolePage({
      visit,
      title: 'Ask in which project?',
      main:
        choices.length > 0
          ? html`${groups.map((group) => html`<section>${group}</section>`)}`
          : emptyState('You have no project yet.', 'Create one in the console, send events, and ask.'),
    });
  });
}
