/** The pages of one organization, and the page that lists those of an account. */
import type { RequestHandler } from '../../http/request.ts';
import { type Html, html, shownOnce } from '../html.ts';
import { consolePage, emptyState } from './console-layout.ts';
import { CONSOLE, orgApi, orgPath, type OrgTab, projectPagePath } from './paths.ts';
import { forMembers, may, type OrgVisit, forAccounts, type Visiting } from './visit.ts';
import type { Invitation, Project, Suspension, UsageMonth, Membership } from '../../../control/types.ts';
import { day, money, monthName, unitPrice, grouped } from '../figures.ts';
import { apiForm, textField } from './api-form.ts';
import { dataTable, facts, MOST_ROWS, shortened } from './data-table.ts';
import { billOf, type Price } from '../../../control/usage/price.ts';
import { usageOfMonth, monthLinks, monthOf } from './usage-figures.ts';

const TABS: readonly (readonly [OrgTab, string])[] = [
  ['', 'Projects'],
  ['usage', 'Usage'],
  ['members', 'Members'],
  ['audit', 'Audit trail'],
  ['settings', 'Settings'],
];

/** A page of an organization. Members do not see the audit trail tab, which they may not read. */
export function orgPage(visit: OrgVisit, tab: OrgTab, main: Html): Html {
  const { organization, role } = visit;
  const tabs = TABS.filter(([name]) => name !== 'audit' || may(visit, 'admin'));
  return consolePage({
    visit,
    title: organization.name,
    crumbs: [{ href: CONSOLE, text: 'Console' }],
    aside: html`<p class="badge">${role}</p>`,
    tabs: {
      label: 'Organization',
      current: orgPath(organization.id, tab),
      links: tabs.map(([name, text]) => ({
        href: orgPath(organization.id, name),
        text: name === 'usage' && visit.host.price !== null ? 'Usage and bill' : text,
      })),
    },
    main: html`${organization.suspension !== null && suspended('This organization is suspended', organization.suspension)}${main}`,
  });
}

/** Says what is refused, and why. */
export function suspended(what: string, { what: refused, reason }: Pick<Suspension, 'what' | 'reason'>): Html {
  const words = { ingest: 'events', queries: 'queries', all: 'events and queries' };
  return html`<p class="notice wrong">${what}, its ${words[refused]} are refused: ${reason}</p>`;
}

/** GET /console/orgs/{orgID}: the projects of an organization. */
export function orgProjects(context: Visiting): RequestHandler {
  return forMembers(context, 'viewer', async (visit) => {
    const { organization } = visit;
    const { projects, count } = await context.control.projects.oldest(organization.id, MOST_ROWS);
    return orgPage(
      visit,
      '',
      html`<section aria-labelledby="projects">
          <h2 id="projects">Projects</h2>
          <div data-region="projects">
            ${projects.length === 0 ? nothingYet(may(visit, 'admin')) : table(projects, count)}
          </div>
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

function table(projects: readonly Project[], count: number): Html {
  const { shown, note } = shortened(projects, 'projects', count);
  const rows = shown.map(({ id, name, createdAt }) => [
    html`<a href="${projectPagePath(id)}">${name}</a>`,
    html`<code>${id}</code>`,
    day(createdAt),
  ]);
  return html`${dataTable({ label: 'Table of projects', columns: ['name', 'id', 'created'], rows, isNamed: true })}${note}`;
}

function creation(orgId: string, limit: number | null): Html {
  return html`<section aria-labelledby="new-project" class="panel">
    <h2 id="new-project">New project</h2>
    ${limit !== null && html`<p>This organization may have up to ${limit.toLocaleString('en')} projects.</p>`}
    ${apiForm({
      method: 'POST',
      path: orgApi(orgId, '/projects'),
      label: 'New project',
      fields: textField({ id: 'project-name', name: 'name', label: 'Name', placeholder: 'Shop, production' }),
      submit: 'Create project',
      look: 'primary',
      go: '/console/projects/{id}',
      done: 'Project created.',
    })}
  </section>`;
}

/** GET /console/orgs/{orgID}/usage: the events of an organization in a month, and their cost. */
export function orgUsage(context: Visiting): RequestHandler {
  return forMembers(context, 'viewer', async (visit) => {
    const { organization, request } = visit;
    const now = Date.now();
    const month = monthOf(request, now);
    const { days, months } = await context.control.usage.ofOrg(organization.id, month.range);
    const { price } = context.control.operator;
    return orgPage(
      visit,
      'usage',
      html`${monthLinks(orgPath(organization.id, 'usage'), month)}
        ${price !== null && months.map((each) => bill(each, price))}
        <section aria-labelledby="usage">
          <h2 id="usage">Usage</h2>
          <p>All projects, including deleted ones. Days follow UTC.</p>
          ${usageOfMonth(days, month.name, now)}
        </section>`,
    );
  });
}

function bill({ month, events_stored: stored }: UsageMonth, price: Price): Html {
  const { currency, perMillion, freeEvents } = price;
  const { billableEvents, amount } = billOf(stored, price);
  const free = Math.min(stored, freeEvents);
  return html`<section class="bill panel" aria-labelledby="bill">
    <h2 id="bill">Bill for ${monthName(month)}</h2>
    <p class="amount">
      <strong>${money(amount, currency)}</strong> ${
        billableEvents === 0
          ? stored > 0 && 'All events so far are free.'
          : html`for ${grouped(billableEvents)} events${freeEvents > 0 && ' beyond the free allowance'},
            ${unitPrice(perMillion, currency)} per million`
      }
    </p>
    ${
      freeEvents > 0 &&
      html`<label for="free-events">Free events used: ${grouped(free)} of ${grouped(freeEvents)}</label>
        <progress id="free-events" max="${freeEvents}" value="${free}"></progress>`
    }
  </section>`;
}

/** GET /console/orgs/{orgID}/settings: the admin key and the limits of an organization. */
export function orgSettings(context: Visiting): RequestHandler {
  return forMembers(context, 'viewer', (visit) => {
    const { id, name, limits } = visit.organization;
    return orgPage(
      visit,
      'settings',
      html`<section aria-labelledby="about">
          <h2 id="about">About</h2>
          ${facts([
            ['Id', html`<code>${id}</code>`],
            ['Projects', limit(limits.projects)],
            ['Events per month', limit(limits.eventsPerMonth)],
          ])}
          <p>The operator of this host sets limits with <code>wl admin limits</code>.</p>
          ${
            may(visit, 'admin') &&
            apiForm({
              method: 'PATCH',
              path: orgApi(id),
              label: 'Name of the organization',
              fields: textField({ id: 'new-name', name: 'name', label: 'Name', value: name }),
              submit: 'Rename',
              go: orgPath(id, 'settings'),
              done: 'Organization renamed.',
            })
          }
        </section>
        <section aria-labelledby="admin-key" class="panel">
          <h2 id="admin-key">Admin key</h2>
          <p>
            The admin key (<code>ak_</code>) manages this organization from scripts, for example with
            <code>wl project list</code>. Only its hash is stored: it cannot be shown again, only rotated.
          </p>
          ${may(visit, 'owner') ? rotation(visit) : html`<p>An owner of this organization can rotate it.</p>`}
        </section>`,
    );
  });
}

function limit(value: number | null): string {
  return value === null ? 'unlimited' : `up to ${grouped(value)}`;
}

function rotation({ organization }: OrgVisit): Html {
  return html`${apiForm({
    method: 'POST',
    path: orgApi(organization.id, '/rotate-admin-key'),
    label: 'Rotate the admin key',
    submit: 'Rotate the admin key',
    look: 'danger',
    confirm: 'Rotate the admin key? The current key stops working at once.',
    show: 'new-admin-key',
    done: 'Admin key rotated. Copy the new one now: it is shown only once.',
  })}${shownOnce('new-admin-key', 'admin_key', 'New admin key')}`;
}

/** Projects shown per organization; its own page has more. */
const SHOWN_PROJECTS = 8;

/** GET /console: the organizations of the account, with their projects. */
export function organizations(context: Visiting): RequestHandler {
  return forAccounts(context, async (visit) => {
    const { account } = visit;
    const memberships = await context.control.members.ofAccount(account.id);
    const cards: Html[] = [];
    for (const membership of memberships) cards.push(await card(context, membership));
    const invited = await context.control.members.invitations(visit.email);
    const main = html`<div data-region="invitations">${invited.length > 0 && invitations(invited)}</div>
      <div data-region="organizations">
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
          go: '/console/orgs/{id}',
          done: 'Organization created.',
        })}
      </section>`;
    return consolePage({ visit, title: 'Your organizations', crumbs: [], main });
  });
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

async function card({ control }: Visiting, { organization, role }: Membership): Promise<Html> {
  const { projects, count } = await control.projects.oldest(organization.id, SHOWN_PROJECTS);
  return html`<li class="card">
    <h2><a href="${orgPath(organization.id)}">${organization.name}</a></h2>
    <p class="badge">${role}</p>
    ${
      projects.length === 0
        ? html`<p>No projects yet. <a href="${orgPath(organization.id)}">Create one</a>.</p>`
        : html`<ul class="links">
            ${projects.map(({ id, name }) => html`<li><a href="${projectPagePath(id)}">${name}</a></li>`)}
          </ul>`
    }
    ${
      count > SHOWN_PROJECTS &&
      html`<p><a href="${orgPath(organization.id)}">All ${count} projects in ${organization.name}</a></p>`
    }
  </li>`;
}
