/** Paths of the console's pages and of the API that their forms call. Ids are encoded, since they also come from the address. */

export const CONSOLE = '/console';
export const SESSIONS = `${CONSOLE}/sessions`;
export const SESSIONS_API = '/api/sessions';

export type OrgTab = '' | 'usage' | 'members' | 'audit' | 'settings';
export type ProjectTab = '' | 'ask' | 'dashboards' | 'keys' | 'settings';

export function orgPath(orgId: string, tab: OrgTab = ''): string {
  return joined(`${CONSOLE}/orgs/${encodeURIComponent(orgId)}`, tab);
}

export function projectPagePath(projectId: string, tab: ProjectTab = ''): string {
  return joined(`${CONSOLE}/projects/${encodeURIComponent(projectId)}`, tab);
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
