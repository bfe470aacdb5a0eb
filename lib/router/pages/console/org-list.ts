/** GET /console: the organizations of the account with their projects, what goes on in them, and invitations to answer. */
import type { RequestHandler } from '../../http/request.ts';
import type { Invitation, Membership, Project } from '../../../control/types.ts';
import type { Activity } from '../../../control/usage/usage.ts';
import { grouped } from '../figures.ts';
import { type Html, html } from '../html.ts';
import { eventsToday, lastEvent, sparkline } from './activity.ts';
import { apiForm, folded, textField } from './api-form.ts';
import { consolePage, emptyState } from './console-layout.ts';
import { CONSOLE, orgPath, projectPagePath } from './paths.ts';
import { searchForm, searchOf } from './search-form.ts';
import { forAccounts, type Visiting } from './visit.ts';

/** Projects shown per organization; its own page has more. */
const SHOWN_PROJECTS = 8;

export function organizations(context: Visiting): RequestHandler {
  return forAccounts(context, async (visit) => {
    const { account } = visit;
    const memberships = await context.control.members.ofAccount(account.id);
    const search = searchOf(visit.request);
    const cards: Card[] = [];
    for (const membership of memberships) cards.push(await readCard(context, membership, search));
    const found = cards.filter((one) => one.isNamed || one.count > 0);
    const isLong = memberships.length > 4 || cards.some(({ count }) => count > SHOWN_PROJECTS);
    const invited = await context.control.members.invitations(visit.email);
    const main = html`<div data-region="invitations">${invited.length > 0 && invitations(invited)}</div>
      ${(isLong || search !== '') && searchForm(CONSOLE, 'Search organizations and projects', search)}
      <div data-region="organizations">${list(memberships.length, found)}</div>
      ${folded('New organization', creation(), memberships.length === 0)}`;
    return consolePage({ visit, title: 'Your organizations', main });
  });
}

function list(memberships: number, found: readonly Card[]): Html {
  if (memberships === 0)
    return emptyState(
      'You do not belong to an organization.',
      'Create one below, or ask an owner to invite your e-mail address.',
    );
  if (found.length === 0) return emptyState('Nothing found.', 'No organization or project has this in its name.');
  return html`<ul class="cards">
    ${found.map(card)}
  </ul>`;
}

function creation(): Html {
  return html`<section aria-labelledby="new-org" class="panel">
    <h2 id="new-org">New organization</h2>
    <p>An organization has its own projects, members and bill.</p>
    ${apiForm({
      method: 'POST',
      path: '/api/orgs',
      label: 'New organization',
      fields: textField({ id: 'org-name', name: 'name', label: 'Name' }),
      submit: 'Create organization',
      go: '/console/orgs/{id}',
      done: 'Organization created.',
    })}
  </section>`;
}

/** The organization learns nothing before an answer, so it stands here and not on a page of its own. */
function invitations(invited: readonly Invitation[]): Html {
  return html`<section aria-labelledby="invitations" class="panel">
    <h2 id="invitations">Invitations</h2>
    <p>
      An organization that you join sees your name, and when you first do something in it after a login. Until you
      accept, it sees nothing.
    </p>
    <ul class="invitations">
      ${invited.map(
        ({ orgId, orgName, role }) =>
          html`<li>
            <p><strong>${orgName}</strong> invites you as <span class="badge">${role}</span></p>
            ${invitationAnswer(orgId, 'accept', `Join ${orgName}`)}${invitationAnswer(orgId, 'decline', `Decline ${orgName}`)}
          </li>`,
      )}
    </ul>
  </section>`;
}

function invitationAnswer(orgId: string, word: 'accept' | 'decline', label: string): Html {
  const isYes = word === 'accept';
  return apiForm({
    method: 'POST',
    path: `/api/invitations/${encodeURIComponent(orgId)}/${word}`,
    label,
    submit: isYes ? 'Accept' : 'Decline',
    look: isYes ? 'primary' : 'plain',
    done: isYes ? 'You have joined.' : 'Invitation declined.',
  });
}

interface Card extends Membership {
  readonly projects: readonly Project[];
  readonly count: number;
  /** Whether its own name has what is searched, so that all of its projects are shown. */
  readonly isNamed: boolean;
  readonly activity: Activity | null;
  readonly ofProjects: ReadonlyMap<string, Activity>;
}

async function readCard({ control }: Visiting, membership: Membership, search: string): Promise<Card> {
  const { id, name } = membership.organization;
  const isNamed = name.toLowerCase().includes(search.toLowerCase());
  const { projects, count } = await control.projects.oldest(id, SHOWN_PROJECTS, isNamed ? '' : search);
  const activity = await control.usage.activityOfOrg(id);
  const ofProjects = await control.usage.activity(projects.map((project) => project.id));
  return { ...membership, projects, count, isNamed, activity, ofProjects };
}

function card({ organization, role, projects, count, activity, ofProjects }: Card): Html {
  return html`<li class="card">
    <h2><a href="${orgPath(organization.id)}">${organization.name}</a></h2>
    <p class="badge">${role}</p>
    <p class="hint">Events today: ${eventsToday(activity)}. Last event: ${lastEvent(activity)}.</p>
    ${
      projects.length === 0
        ? html`<p>No projects yet. <a href="${orgPath(organization.id)}">Create one</a>.</p>`
        : html`<ul class="links active">
            ${projects.map((project) => line(project, ofProjects.get(project.id)))}
          </ul>`
    }
    ${
      count > SHOWN_PROJECTS &&
      html`<p><a href="${orgPath(organization.id)}">All ${grouped(count)} projects in ${organization.name}</a></p>`
    }
  </li>`;
}

function line({ id, name }: Project, activity: Activity | undefined): Html {
  return html`<li>
    <a href="${projectPagePath(id)}">${name}</a>
    ${activity !== undefined && sparkline(activity)}
    <span class="unseen">Events today:</span> <span class="count">${eventsToday(activity)}</span>
  </li>`;
}
