/** The pages of one organization. */
import type { RequestHandler } from '../../http/request.ts';
import { type Html, html, shownOnce } from '../html.ts';
import { consolePage, emptyState } from './console-layout.ts';
import { orgApi, orgPath, type OrgTab, projectPagePath } from './paths.ts';
import { switchers } from './places.ts';
import type { IconName } from '../../../base/icons.ts';
import { searchForm, searchOf } from './search-form.ts';
import { eventsToday, lastEvent, sparkline } from './activity.ts';
import { forMembers, may, type OrgVisit, type Visiting } from './visit.ts';
import type { Project, Suspension, UsageMonth } from '../../../control/types.ts';
import type { Activity } from '../../../control/usage/usage.ts';
import { day, money, monthName, percent, unitPrice, grouped } from '../figures.ts';
import { apiForm, folded, textField } from './api-form.ts';
import { dataTable, facts, firstRows } from './data-table.ts';
import { billOf, type Price } from '../../../control/usage/price.ts';
import { nearPercent, nextMonth } from '../../limits/month-limit.ts';
import { expectedInMonth, usageOfMonth, monthLinks, monthOf } from './usage-figures.ts';
import type { UsageRange } from '../../../control/usage/usage-range.ts';
import { MAX_PAGE } from '../../../control/storage/connection.ts';

const TABS: readonly (readonly [OrgTab, string, IconName, key: string])[] = [
  ['', 'Projects', 'projects', 'p'],
  ['usage', 'Usage', 'usage', 'u'],
  ['members', 'Members', 'members', 'm'],
  ['audit', 'Audit trail', 'audit', 't'],
  ['settings', 'Settings', 'settings', 's'],
];

/** A page of an organization. Members do not see the audit trail tab, which they may not read. */
export function orgPage(visit: OrgVisit, tab: OrgTab, main: Html): Html {
  const { organization, role } = visit;
  const tabs = TABS.filter(([name]) => name !== 'audit' || may(visit, 'admin'));
  return consolePage({
    visit,
    title: organization.name,
    places: switchers(visit),
    role,
    tabs: {
      label: 'Organization',
      current: orgPath(organization.id, tab),
      links: tabs.map(([name, text, icon, key]) => ({
        href: orgPath(organization.id, name),
        text: name === 'usage' && visit.host.price !== null ? 'Usage and bill' : text,
        icon,
        key,
      })),
    },
    main: html`${organization.suspension !== null && suspended('This organization is suspended', organization.suspension)}${limitNotices(visit)}${main}`,
  });
}

/** Says what is refused, and why. */
export function suspended(what: string, { what: refused, reason }: Pick<Suspension, 'what' | 'reason'>): Html {
  const words = { ingest: 'events', queries: 'queries', all: 'events and queries' };
  return html`<p class="notice wrong">${what}, its ${words[refused]} are refused: ${reason}</p>`;
}

/** Says how much of a month's limit is used, where that is much. */
export function limitNotices({ limits }: Pick<OrgVisit, 'limits'>): readonly Html[] {
  const near = limits.filter((use) => nearPercent(use) !== null);
  return near.map(({ of, limit, used }) => {
    const what = html`the ${grouped(limit)} events that this ${of} may store in
    ${monthName(new Date().toISOString().slice(0, 'YYYY-MM'.length))}`;
    return html`<p class="notice ${used >= limit && 'wrong'}">
      ${used >= limit ? html`All of ${what} are used: further ones are refused` : html`${percent(Math.floor((used * 100) / limit) / 100)} of ${what} are used`}.
      A new month begins on ${day(Date.parse(nextMonth()))} (UTC).
    </p>`;
  });
}

/** From so many projects on the list has a search. */
const LONG = 10;

/** GET /console/orgs/{orgID}: the projects of an organization, and what goes on in them. */
export function orgProjects(context: Visiting): RequestHandler {
  return forMembers(context, 'viewer', async (visit) => {
    const { organization, request } = visit;
    const { control } = context;
    const search = searchOf(request);
    const { projects, count } = await control.projects.oldest(organization.id, MAX_PAGE, search);
    const activity = await control.usage.activity(projects.map(({ id }) => id));
    const isNew = count === 0 && search === '';
    return orgPage(
      visit,
      '',
      html`<section aria-labelledby="projects">
          <h2 id="projects">Projects</h2>
          ${(count >= LONG || search !== '') && searchForm(orgPath(organization.id), 'Search projects', search)}
          <div data-region="projects">
            ${count === 0 ? nothingYet(search, may(visit, 'admin')) : table({ projects, count, activity })}
          </div>
        </section>
        ${may(visit, 'admin') && folded('New project', creation(organization.id, organization.limits.projects), isNew)}`,
    );
  });
}

function nothingYet(search: string, mayCreate: boolean): Html {
  if (search !== '') return emptyState('Nothing found.', 'No project has this in its name or id.');
  return emptyState(
    'No projects yet.',
    mayCreate
      ? 'A project holds the events of one product. Create your first one below; you find its keys on its page.'
      : 'An admin of this organization can create one.',
  );
}

interface Listed {
  readonly projects: readonly Project[];
  readonly count: number;
  readonly activity: ReadonlyMap<string, Activity>;
}

function table({ projects, count, activity }: Listed): Html {
  const { shown, note } = firstRows(projects, 'projects', count);
  const rows = shown.map(({ id, name, createdAt }) => {
    const own = activity.get(id);
    return [
      html`<a href="${projectPagePath(id)}">${name}</a> <code class="below">${id}</code>`,
      eventsToday(own),
      own === undefined ? null : sparkline(own),
      lastEvent(own),
      day(createdAt),
    ];
  });
  const columns = ['name', { name: 'events today', look: 'number' }, 'last 14 days', 'last event', 'created'] as const;
  return html`${dataTable({ label: 'Table of projects', columns, rows, isNamed: true })}${note}`;
}

function creation(orgId: string, limit: number | null): Html {
  return html`<section aria-labelledby="new-project" class="panel">
    <h2 id="new-project">New project</h2>
    ${limit !== null && html`<p>This organization may have up to ${grouped(limit)} projects.</p>`}
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
    const shares = await sharesOf(context, organization.id, month.range);
    return orgPage(
      visit,
      'usage',
      html`${monthLinks(orgPath(organization.id, 'usage'), month)}
        ${price !== null && months.map((each) => bill(each, price, now))}
        <section aria-labelledby="usage">
          <h2 id="usage">Usage</h2>
          <p>All projects, including deleted ones. Time zone: UTC.</p>
          ${usageOfMonth(days, month.name, now)}
        </section>
        ${shares}`,
    );
  });
}

/** Projects of which the usage page tells the share. */
const MOST_SHARES = 50;

/** Which project stored how much; null: none stored anything. */
async function sharesOf({ control }: Visiting, orgId: string, range: UsageRange): Promise<Html | null> {
  const shares = await control.usage.byProject(orgId, range, MOST_SHARES);
  if (shares.length === 0) return null;
  const names = await control.projects.names(orgId, shares.map(({ id }) => id)); // prettier-ignore
  const all = shares.reduce((sum, { stored }) => sum + stored, 0);
  const rows = shares.map(({ id, stored }) => {
    const name = names.get(id);
    return [
      name === undefined ? 'a deleted project' : html`<a href="${projectPagePath(id, 'usage')}">${name}</a>`,
      grouped(stored),
      html`<meter max="${all}" value="${stored}" aria-hidden="true"></meter> ${percent(stored / all)}`,
    ];
  });
  const columns = ['project', { name: 'events stored', look: 'number' }, { name: 'share', look: 'number' }] as const;
  return html`<section aria-labelledby="shares">
    <h2 id="shares">By project</h2>
    ${dataTable({ label: 'Usage by project', columns, rows, isNamed: true })}
    ${shares.length === MOST_SHARES && html`<p>The ${MOST_SHARES} projects that stored the most.</p>`}
  </section>`;
}

function bill({ month, events_stored: stored }: UsageMonth, price: Price, now: number): Html {
  const expected = expectedInMonth(stored, month, now);
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
    ${expected !== null && html`<p>At this pace about ${money(billOf(Math.round(expected), price).amount, currency)} by the end of the month.</p>`}
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
            html`<div data-region="new-name">
              ${apiForm({
                method: 'PATCH',
                path: orgApi(id),
                label: 'Name of the organization',
                fields: textField({ id: 'new-name', name: 'name', label: 'Name', value: name }),
                submit: 'Rename',
                done: 'Organization renamed.',
                undone: 'The organization has its former name.',
              })}
            </div>`
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
