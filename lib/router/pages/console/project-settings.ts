/** GET /console/projects/{projectID}/settings: how events are kept, and deleting the project. */
import type { RequestHandler } from '../../http/request.ts';
import { day } from '../figures.ts';
import { type Html, html } from '../html.ts';
import { apiForm, selectField, textField } from './api-form.ts';
import { facts } from './data-table.ts';
import { orgPath, projectApi, projectPagePath } from './paths.ts';
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

export function projectSettings(context: Visiting): RequestHandler {
  return forProject(context, 'viewer', (visit) => {
    const { id, name, createdAt } = visit.project;
    const main = html`<section aria-labelledby="about">
        <h2 id="about">About</h2>
        ${facts([
          ['Id', html`<code>${id}</code>`],
          ['Created', day(createdAt)],
        ])}
        ${
          may(visit, 'admin') &&
          apiForm({
            method: 'PATCH',
            path: projectApi(id),
            label: 'Name of the project',
            fields: textField({ id: 'new-name', name: 'name', label: 'Name', value: name }),
            submit: 'Rename',
            go: projectPagePath(id, 'settings'),
            done: 'Project renamed.',
          })
        }
      </section>
      ${may(visit, 'admin') ? html`${change(visit)}${deletion(visit)}` : asTheyAre(visit)}`;
    return projectPage(visit, 'settings', main);
  });
}

function asTheyAre({ project: { settings } }: ProjectVisit): Html {
  const { retentionDays, ipPolicy, timezone, weekStart, personalProperties } = settings;
  return html`<section aria-labelledby="settings">
    <h2 id="settings">Settings</h2>
    ${facts([
      ['Event retention', retentionDays === null ? 'forever' : `${retentionDays} days`],
      ['Client IP addresses', ipPolicy],
      ['Time zone', timezone],
      ['First day of the week', weekStart],
      ['Personal properties', personalProperties.join(', ') || 'none'],
    ])}
    <p>An admin of this organization can change these.</p>
  </section>`;
}

function change({ project: { id, settings, retention } }: ProjectVisit): Html {
  const { ipPolicy, timezone, weekStart, personalProperties } = settings;
  const retentionDays = retention.next?.retentionDays ?? settings.retentionDays;
  return html`<section aria-labelledby="settings" class="panel">
    <h2 id="settings">Settings</h2>
    ${apiForm({
      method: 'PATCH',
      path: projectApi(id),
      label: 'Settings',
      fields: html`${textField({
          id: 'retention',
          name: 'retention_days',
          label: 'Event retention, in days',
          hint: 'Older events are deleted. Leave empty to keep events forever. Fewer days begin a day later where they delete stored events.',
          type: 'number',
          value: retentionDays === null ? '' : String(retentionDays),
          required: false,
        })}
        ${selectField({ id: 'ip-policy', name: 'ip_policy', label: 'Client IP addresses', options: POLICIES, selected: ipPolicy })}
        ${textField({ id: 'timezone', name: 'timezone', label: 'Time zone', hint: 'Used for days in answers. An IANA name, such as Europe/Berlin.', value: timezone, list: 'zones' })}
        <datalist id="zones">${zoneNames().map((zone) => html`<option value="${zone}"></option>`)}</datalist>
        ${selectField({ id: 'week-start', name: 'week_start', label: 'First day of the week', options: WEEK_DAYS, selected: weekStart })}
        ${textField({
          id: 'personal-properties',
          name: 'personal_properties',
          label: 'Personal properties',
          hint: 'Names of properties, separated by commas, that tokens without personal data do not see, besides e-mail addresses, names, IP addresses and user agents.',
          value: personalProperties.join(', '),
          required: false,
          maxLength: 2_000,
          isList: true,
        })}`,
      submit: 'Save settings',
      look: 'primary',
      done: 'Settings saved.',
    })}
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
