import { type Html, html } from '../html.ts';
import type { PageScript } from '../layout.ts';
import { consolePage } from './console-layout.ts';
import { dashboardPath, type ProjectTab, projectApi, projectPagePath } from './paths.ts';
import { switchers } from './places.ts';
import type { IconName } from '../../../base/icons.ts';
import type { RetentionChange } from '../../../control/types.ts';
import { minute, grouped } from '../figures.ts';
import { apiForm } from './api-form.ts';
import { limitNotices, suspended } from './org-pages.ts';
import { type ProjectVisit, may } from './visit.ts';

const TABS: readonly (readonly [ProjectTab, string, IconName, key: string])[] = [
  ['', 'Overview', 'overview', 'o'],
  ['ask', 'Ask', 'ask', 'a'],
  ['dashboards', 'Dashboards', 'dashboards', 'd'],
  ['alerts', 'Alerts', 'alerts', 'l'],
  ['usage', 'Usage', 'usage', 'u'],
  ['keys', 'Keys and tokens', 'keys', 'k'],
  ['settings', 'Settings', 'settings', 's'],
];

/** A page of a project, possibly with its own script. Viewers do not see the tabs of what they may not read. */
export function projectPage(visit: ProjectVisit, tab: ProjectTab, main: Html, script?: PageScript): Html {
  const { organization, places, project, role } = visit;
  const named = visit.request.params['dashboardID'];
  const dashboardId = typeof named === 'string' ? named : null;
  const tabs = TABS.filter(([name]) => !['alerts', 'keys'].includes(name) || may(visit, 'member'));
  return consolePage({
    visit,
    title: project.name,
    places: switchers({ ...visit, tab, dashboardId }),
    role,
    tabs: {
      label: 'Project',
      current: projectPagePath(project.id, tab),
      links: tabs.map(([name, text, icon, key]) => ({ href: projectPagePath(project.id, name), text, icon, key })),
    },
    dashboards: {
      current: dashboardId === null ? null : dashboardPath(project.id, dashboardId),
      links: places.dashboards.map(({ id, name }) => ({ href: dashboardPath(project.id, id), text: name })),
    },
    main: html`${project.suspensions.filter(({ of }) => of === undefined).map((one) => suspended('This project is suspended', one))}${
        organization.suspension !== null && suspended('This organization is suspended', organization.suspension)
      }
      ${limitNotices(visit)}
      <div data-region="retention-change">
        ${project.retention.next !== null && retentionNotice(visit, project.retention.next)}
      </div>
      ${main}`,
    ...(script === undefined ? {} : { script }),
  });
}

/** What is to be removed, and how to keep it: on every page of the project, as a day is short. */
function retentionNotice(visit: ProjectVisit, { retentionDays, beginsAt, events }: RetentionChange): Html {
  const { id, settings } = visit.project;
  const former = settings.retentionDays === null ? '' : String(settings.retentionDays);
  return html`<div class="notice wrong">
    <p>
      From <time datetime="${new Date(beginsAt).toISOString()}">${minute(beginsAt)}</time> UTC on, events older than
      ${retentionDays} ${retentionDays === 1 ? 'day' : 'days'} are removed: ${grouped(events)} when this was asked for.
    </p>
    ${
      may(visit, 'admin') &&
      apiForm({
        method: 'PATCH',
        path: projectApi(id),
        label: 'Undo the shorter retention',
        fields: html`<input type="number" name="retention_days" value="${former}" hidden />`,
        submit: 'Undo',
        done: 'Undone: the events stay.',
      })
    }
  </div>`;
}
