/** GET /console/projects/{projectID}/settings: how events are kept, and deleting the project. */
import type { RequestHandler } from '../../http/request.ts';
import { day, grouped } from '../figures.ts';
import { type Html, html } from '../html.ts';
import { apiForm, selectField, textField } from './api-form.ts';
import { facts } from './data-table.ts';
import { orgPath, projectApi } from './paths.ts';
import { projectAnnotations } from './project-annotations.ts';
import { projectPage } from './project-layout.ts';
import { type ProjectVisit, forProject, may, type Visiting } from './visit.ts';

const POLICIES = [
  ['anonymized', 'anonymized (last part removed)'],
  ['full', 'full (stored as received)'],
  ['none', 'none (not stored)'],
] as const;

const WEEK_DAYS = [
  ['monday', 'Monday'],
  ['sunday', 'Sunday'],
] as const;

const BOTS = [
  ['leave out', 'Leave them out of answers'],
  ['keep', 'Count them'],
] as const;

export function projectSettings(context: Visiting): RequestHandler {
  return forProject(context, 'viewer', async (visit) => {
    const { id, name, createdAt } = visit.project;
    const annotated = projectAnnotations(visit, await context.control.annotations.list(id));
    const main = html`<section aria-labelledby="about">
        <h2 id="about">About</h2>
        ${facts([
          ['Id', html`<code>${id}</code>`],
          ['Created', day(createdAt)],
        ])}
        ${
          may(visit, 'admin') &&
          html`<div data-region="new-name">
            ${apiForm({
              method: 'PATCH',
              path: projectApi(id),
              label: 'Name of the project',
              fields: textField({ id: 'new-name', name: 'name', label: 'Name', value: name }),
              submit: 'Rename',
              done: 'Project renamed.',
              undone: 'The project has its former name.',
            })}
          </div>`
        }
      </section>
      ${may(visit, 'admin') ? change(visit) : asTheyAre(visit)} ${annotated} ${may(visit, 'admin') && deletion(visit)}`;
    return projectPage(visit, 'settings', main);
  });
}

function asTheyAre({ project: { settings } }: ProjectVisit): Html {
  const { retentionDays, ipPolicy, timezone, weekStart, bots, personalProperties, eventsPerMonth } = settings;
  return html`<section aria-labelledby="settings">
    <h2 id="settings">Settings</h2>
    ${facts([
      ['Event retention', retentionDays === null ? 'forever' : `${retentionDays} days`],
      ['Client IP addresses', ipPolicy],
      ['Time zone', timezone],
      ['First day of the week', weekStart],
      ['Bots', bots === 'keep' ? 'counted' : 'left out of answers'],
      ['Personal properties', personalProperties.join(', ') || 'none'],
      ['Events per month', eventsPerMonth === null ? 'as many as the organization may store' : grouped(eventsPerMonth)],
    ])}
    <p>An admin of this organization can change these.</p>
  </section>`;
}

function change({ project: { id, settings, retention } }: ProjectVisit): Html {
  const { ipPolicy, timezone, weekStart, bots, personalProperties, eventsPerMonth } = settings;
  const retentionDays = retention.next?.retentionDays ?? settings.retentionDays;
  return html`<section aria-labelledby="settings" class="panel">
    <h2 id="settings">Settings</h2>
    <div data-region="settings">
      ${apiForm({
        method: 'PATCH',
        path: projectApi(id),
        label: 'Settings',
        fields: html`${textField({
            id: 'retention',
            name: 'retention_days',
            label: 'Event retention, in days',
            hint: 'Older events are deleted. Leave empty to keep events forever. Fewer days begin a day later if they delete stored events.',
            type: 'number',
            value: retentionDays === null ? '' : String(retentionDays),
            required: false,
          })}
          ${selectField({ id: 'ip-policy', name: 'ip_policy', label: 'Client IP addresses', options: POLICIES, selected: ipPolicy })}
          ${textField({ id: 'timezone', name: 'timezone', label: 'Time zone', hint: 'Used for days in answers. An IANA name, such as Europe/Berlin.', value: timezone, list: 'zones' })}
          <datalist id="zones">${zoneNames().map((zone) => html`<option value="${zone}"></option>`)}</datalist>
          ${selectField({ id: 'week-start', name: 'week_start', label: 'First day of the week', options: WEEK_DAYS, selected: weekStart })}
          ${selectField({ id: 'bots', name: 'bots', label: 'Bots', options: BOTS, selected: bots })}
          ${textField({
            id: 'personal-properties',
            name: 'personal_properties',
            label: 'Personal properties',
            hint: 'Names of properties, separated by commas, that tokens without personal data do not see, besides e-mail addresses, names, IP addresses and user agents.',
            value: personalProperties.join(', '),
            required: false,
            maxLength: 2_000,
            isList: true,
          })}
          ${textField({
            id: 'events-per-month',
            name: 'events_per_month',
            label: 'Events per month',
            hint: 'Further ones are refused until the next month. Leave empty for as many as the organization may store.',
            type: 'number',
            value: eventsPerMonth === null ? '' : String(eventsPerMonth),
            required: false,
          })}`,
        submit: 'Save settings',
        look: 'primary',
        done: 'Settings saved.',
        undone: 'The settings are what they were.',
      })}
    </div>
  </section>`;
}

const zoneNames = (): readonly string[] => ['UTC', ...Intl.supportedValuesOf('timeZone')];

function deletion({ project: { id, name, orgId } }: ProjectVisit): Html {
  return html`<section aria-labelledby="delete" class="panel danger-zone">
    <h2 id="delete">Delete this project</h2>
    <p>This permanently deletes all of its events, profiles, keys and tokens. It cannot be undone.</p>
    ${apiForm({
      method: 'DELETE',
      path: projectApi(id),
      label: 'Delete this project',
      fields: html`<input type="hidden" name="project_name" value="${name}" />
        ${textField({ id: 'confirm-name', name: 'project_name_confirm', label: 'Type the project’s name to confirm', hint: name })}`,
      submit: 'Delete permanently',
      look: 'danger',
      go: orgPath(orgId),
      done: 'Project deleted.',
    })}
  </section>`;
}
