/** Paths of the console's pages and of the API that their forms call. Ids are encoded, since they also come from the address. */

export const CONSOLE = '/console';
export const SESSIONS = `${CONSOLE}/sessions`;
/** Ask in the project that the visitor has, or in one to be chosen. Its fragment is a query. */
export const ASK = `${CONSOLE}/ask`;
export const SESSIONS_API = '/api/sessions';

export type OrgTab = '' | 'usage' | 'members' | 'audit' | 'settings';
/** `person` has no tab: ids in lists lead there. */
export type ProjectTab = '' | 'ask' | 'dashboards' | 'alerts' | 'person' | 'usage' | 'keys' | 'settings';
/** Pages that are no tab. */
type ProjectPage = ProjectTab | 'new-dashboard';

export function orgPath(orgId: string, tab: OrgTab = ''): string {
  return joined(`${CONSOLE}/orgs/${encodeURIComponent(orgId)}`, tab);
}

export function projectPagePath(projectId: string, tab: ProjectPage = ''): string {
  return joined(`${CONSOLE}/projects/${encodeURIComponent(projectId)}`, tab);
}

export function dashboardPath(projectId: string, dashboardId: string): string {
  return `${projectPagePath(projectId, 'dashboards')}/${encodeURIComponent(dashboardId)}`;
}

export function orgApi(orgId: string, rest = ''): string {
  return `/api/orgs/${encodeURIComponent(orgId)}${rest}`;
}

export function projectApi(projectId: string, rest = ''): string {
  return `/api/projects/${encodeURIComponent(projectId)}${rest}`;
}

function joined(base: string, tab: string): string {
  return tab === '' ? base : `${base}/${tab}`;
}
