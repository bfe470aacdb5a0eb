/** GET /console/orgs/{orgID}/settings: the admin key and the limits of an organization. */
import type { RequestHandler } from 'express';
import type { RouterContext } from '../../context.ts';
import { whole } from '../figures.ts';
import { type Html, html } from '../html.ts';
import { apiForm } from './api-form.ts';
import { facts } from './data-table.ts';
import { orgPage } from './org-layout.ts';
import { orgApi } from './paths.ts';
import { shownOnce } from './shown-once.ts';
import { type OrgVisit, forMembers, may } from './visit.ts';

export function orgSettings(context: RouterContext): RequestHandler {
  return forMembers(context, 'viewer', (visit) => {
    const { id, limits } = visit.organization;
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
  return value === null ? 'unlimited' : `up to ${whole(value)}`;
}

function rotation({ organization }: OrgVisit): Html {
  return html`${apiForm({
    method: 'POST',
    path: orgApi(organization.id, '/rotate-admin-key'),
    label: 'Rotate the admin key',
    submit: 'Rotate the admin key',
    look: 'danger',
    confirm: 'Rotate the admin key? The current key stops working at once.',
    after: { show: 'new-admin-key' },
    done: 'Admin key rotated. Copy the new one now: it is shown only once.',
  })}${shownOnce('new-admin-key', 'admin_key', 'New admin key')}`;
}
