/** Where a page of the console is, and what leads to other organizations, projects and dashboards. */
import type { Organization, Project } from '../../../control/types.ts';
import type { RouterContext } from '../../context.ts';
import { menu } from '../bar.ts';
import { type Html, html } from '../html.ts';
import { icon } from '../icon.ts';
import { CONSOLE, dashboardPath, orgPath, projectPagePath, type ProjectTab } from './paths.ts';

/** Projects and dashboards that a list beside or above a page has; pages of their own have all. */
const MOST = 50;

interface Named {
  readonly id: string;
  readonly name: string;
}

/** What is near a page: the account's organizations, the projects of the page's organization, the dashboards of its project. */
export interface Places {
  readonly organizations: readonly Named[];
  readonly projects: readonly Named[];
  readonly dashboards: readonly Named[];
}

export async function findPlaces(
  { config, control }: Pick<RouterContext, 'config' | 'control'>,
  { accountId, orgId, projectId }: { accountId: string; orgId: string; projectId: string | null },
): Promise<Places> {
  const organizations = await control.members.organizationsOf(accountId);
  const { projects } = await control.projects.oldest(orgId, MOST);
  if (projectId === null || !config.dashboards) return { organizations, projects, dashboards: [] };
  const dashboards = await control.dashboards.list(projectId, accountId);
  const named = new Map(dashboards.map(({ id, title }) => [id, title])); // a personal one has the project's address too
  return { organizations, projects, dashboards: [...named].slice(0, MOST).map(([id, name]) => ({ id, name })) };
}

interface Here {
  readonly places: Places;
  readonly organization: Organization;
  readonly project?: Project;
  readonly tab?: ProjectTab;
  /** The dashboard that the page shows; left out: none. */
  readonly dashboardId?: string | null;
}

/** For the bar: a switcher each for organization, project and dashboard. */
export function switchers({ places, organization, project, tab = '', dashboardId = null }: Here): Html {
  const current = places.dashboards.find(({ id }) => id === dashboardId);
  return html`<nav class="places" aria-label="Organization and project" data-region="places">
    ${switcher({
      what: 'Organization',
      name: organization.name,
      links: places.organizations.map(({ id, name }) => ({ href: orgPath(id), name, isHere: id === organization.id })),
      all: { href: CONSOLE, name: 'All organizations' },
    })}
    ${
      project !== undefined &&
      switcher({
        what: 'Project',
        name: project.name,
        links: places.projects.map(({ id, name }) => ({
          href: projectPagePath(id, tab),
          name,
          isHere: id === project.id,
        })),
        all: { href: orgPath(organization.id), name: `All projects of ${organization.name}` },
      })
    }
    ${
      project !== undefined &&
      current !== undefined &&
      switcher({
        what: 'Dashboard',
        name: current.name,
        links: places.dashboards.map(({ id, name }) => ({
          href: dashboardPath(project.id, id),
          name,
          isHere: id === current.id,
        })),
        all: { href: projectPagePath(project.id, 'dashboards'), name: 'All dashboards' },
      })
    }
  </nav>`;
}

interface Switcher {
  readonly what: string;
  readonly name: string;
  readonly links: readonly { readonly href: string; readonly name: string; readonly isHere: boolean }[];
  readonly all: { readonly href: string; readonly name: string };
}

function switcher({ what, name, links, all }: Switcher): Html {
  return html`<div class="place place-${what.toLowerCase()}">
    ${menu({
      label: `${what}: ${name}`,
      button: html`<span class="place-name">${name}</span>${icon('choose')}`,
      content: html`<ul>
          ${links.map(
            (link) =>
              html`<li><a href="${link.href}" ${link.isHere && html` aria-current="true"`}>${link.name}</a></li>`,
          )}
        </ul>
        <a class="menu-all" href="${all.href}">${all.name}</a>`,
    })}
  </div>`;
}
