/** What an account may do: by its role in an organization, and so in its projects. What is let in counts as an act there. */
import type { Act } from '../control/accounts/logins.ts';
import { ROLES, type Membership, type Project, type Role } from '../control/types.ts';
import { AppError } from '../base/errors.ts';
import type { RouterContext } from './context.ts';

/** The organization, if the account has at least that role. Throws 404 for non-members, as if missing, and 403. */
export async function requireMember(
  { control }: Pick<RouterContext, 'control'>,
  act: Act,
  orgId: string,
  needed: Role,
): Promise<Membership> {
  const role = await control.members.role(act.account.id, orgId);
  if (role === null) throw noSuch('organization');
  requireRole(role, needed);
  await control.logins.noteAct({ orgId, role }, act);
  return { organization: await control.organizations.get(orgId), role };
}

/** The project, if the account has at least that role in its organization. Throws 404 for non-members, as if missing, and 403. */
export async function requireProject(
  { control }: Pick<RouterContext, 'control'>,
  act: Act,
  projectId: string,
  needed: Role,
): Promise<{ readonly project: Project; readonly role: Role }> {
  const project = await control.projects.find(projectId);
  const role = project === null ? null : await control.members.role(act.account.id, project.orgId);
  if (project === null || role === null) throw noSuch('project');
  requireRole(role, needed);
  await control.logins.noteAct({ orgId: project.orgId, role }, act);
  return { project, role };
}

/** Whether a role includes what another may do. */
export function reaches(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** Where to look for what there is. */
const LISTS = {
  organization: 'GET /api/orgs lists the organizations you belong to.',
  project: 'List the projects of an organization: GET /api/orgs/{orgID}/projects, or with its admin key GET /api/admin/projects.',
  token: 'GET …/tokens lists the tokens of the project.',
  device: 'A device is known once POST /identify has bound it to a user.',
  session: 'GET /api/sessions lists your sessions.',
  invitation: 'GET /api/invitations lists the invitations of your address; one may have been revoked.',
  alert: 'GET …/alerts lists the alerts and reports of the project.',
  cohort: 'GET …/cohorts lists the cohorts of the project.',
  question: 'GET …/questions lists the saved questions of the project.',
  annotation: 'GET …/annotations lists the annotations of the project.',
  dashboard: 'GET …/dashboards lists the dashboards you may see; a personal one is seen by its owner alone.',
} as const; // prettier-ignore

/** 404 for what does not exist or the caller may not see. It does not repeat the id: all these bodies are the same. */
export function noSuch(what: keyof typeof LISTS): AppError {
  return new AppError('not_found', `There is no such ${what}.`, { hints: [LISTS[what]] });
}

function requireRole(role: Role, needed: Role): void {
  if (reaches(role, needed)) return;
  throw new AppError('forbidden', `This requires the role ${needed}; yours is ${role}.`, {
    hints: ['Ask an owner of the organization.'],
  });
}
