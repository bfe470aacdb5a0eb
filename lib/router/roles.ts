/** What an account may do: by its role in an organization, and so in its projects. */
import type { ControlDatabase } from '../control/database.ts';
import { ROLES, type Account, type Organization, type Project, type Role } from '../control/types.ts';
import { AppError } from '../base/errors.ts';
import { noSuch } from './door.ts';

export { actorOf } from '../control/accounts/accounts.ts';

interface Registry {
  readonly control: ControlDatabase;
}

/** The organization, if the account has at least that role. Throws 404 for non-members, as if missing, and 403. */
export async function memberOf(
  { control }: Registry,
  account: Account,
  orgId: string,
  needed: Role,
): Promise<Organization> {
  const role = await control.members.role(account.id, orgId);
  if (role === null) throw noSuch('organization');
  requireRole(role, needed);
  return control.organizations.get(orgId);
}

/** The project, if the account has at least that role in its organization. Throws 404 for non-members, as if missing, and 403. */
export async function projectOf(
  { control }: Registry,
  account: Account,
  projectId: string,
  needed: Role,
): Promise<Project> {
  const project = await control.projects.find(projectId);
  const role = project === null ? null : await control.members.role(account.id, project.orgId);
  if (project === null || role === null) throw noSuch('project');
  requireRole(role, needed);
  return project;
}

/** Whether the account has at least that role in the organization. */
export async function mayIn({ control }: Registry, account: Account, orgId: string, needed: Role): Promise<boolean> {
  const role = await control.members.role(account.id, orgId);
  return role !== null && reaches(role, needed);
}

/** Whether a role includes what another may do. */
export function reaches(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

function requireRole(role: Role, needed: Role): void {
  if (reaches(role, needed)) return;
  throw new AppError('forbidden', `This requires the role ${needed}; yours is ${role}.`, {
    hints: ['Ask an owner of the organization.'],
  });
}
