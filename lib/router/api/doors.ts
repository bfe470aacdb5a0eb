/** Who is let in to the management APIs: logged-in accounts, by their role, and holders of an admin key. */
import type { Request } from 'express';
import { actorOf } from '../../control/accounts/accounts.ts';
import type { Actor, Membership, Project, Role } from '../../control/types.ts';
import { requireSameOrigin, type LoggedIn } from '../auth/sessions.ts';
import type { RouterContext } from '../context.ts';
import { idParameter } from '../http/query-string.ts';
import { memberOf, noSuch, projectOf, reaches } from '../roles.ts';

/** `look`: what every member may see. `ask`: run queries. `read`: everything, secret keys too. `change`: change something. */
export type Right = 'look' | 'ask' | 'read' | 'change';

/**
 * How a management API lets requests in. Both methods throw: 401 without a credential, 403 when it may not, 404 for what it may
 * not know of, with the same body as for an unknown id.
 */
export interface Door {
  /** Whether requests that create something may have an Idempotency-Key. */
  readonly takesKeys: boolean;
  organization(request: Request, right: Right): Promise<{ readonly orgId: string; readonly by: Actor }>;
  /** The project at `:projectID` of the path. `seesSecrets`: whether its secret key may be shown. */
  project(request: Request, right: Right): Promise<Admitted>;
}

interface Admitted {
  readonly orgId: string;
  readonly project: Project;
  readonly by: Actor;
  readonly seesSecrets: boolean;
}

/** Admits to what a path names. */
export const toProject = (door: Door, right: Right) => (request: Request) => door.project(request, right);
export const toOrganization = (door: Door, right: Right) => (request: Request) => door.organization(request, right);

/** The lowest role that has the right to projects, their keys and tokens. */
const NEEDED: Readonly<Record<Right, Role>> = { look: 'viewer', ask: 'viewer', read: 'member', change: 'admin' };

/** /api/*: for logged-in accounts, by their role in the organization. */
export function sessionDoor(context: RouterContext): Door {
  return {
    takesKeys: false,
    organization: async (request, right) => {
      const { organization, by } = await memberVisitorOf(context, request, { right, needed: NEEDED[right] });
      return { orgId: organization.id, by };
    },
    project: async (request, right) => {
      const { account, by } = await visitorOf(context, request, right);
      const { project, role } = await projectOf(context, account, idParameter(request, 'projectID'), NEEDED[right]);
      return { project, orgId: project.orgId, by, seesSecrets: reaches(role, NEEDED.read) };
    },
  };
}

/** The actor in the audit trail of the organization that owns the key. */
const ACTOR = 'admin key';

/** /api/admin/*: for the holder of an organization's admin key, sent in the header X-API-Key. */
export function adminDoor({ gatekeeper, clients, control }: RouterContext): Door {
  const organization = async (request: Request): Promise<{ orgId: string; by: Actor }> => {
    const { ip } = clients.of(request);
    return { orgId: await gatekeeper.admitOrganization(request, ip), by: { name: ACTOR, ip } };
  };
  return {
    takesKeys: true,
    organization,
    project: async (request) => {
      const { orgId, by } = await organization(request);
      const project = await control.projects.find(idParameter(request, 'projectID'));
      if (project?.orgId !== orgId) throw noSuch('project');
      return { project, orgId, by, seesSecrets: true };
    },
  };
}

type Visitor = LoggedIn & { readonly by: Actor };

/** Who is logged in. Throws 401 when nobody is, and 403 for a change or query sent from another origin. */
export async function visitorOf(
  { sessions, clients }: RouterContext,
  request: Request,
  right: Right,
): Promise<Visitor> {
  const found = await sessions.loggedIn(request);
  if (right === 'change' || right === 'ask') requireSameOrigin(request);
  return { ...found, by: actorOf(found.account, clients.of(request).ip) };
}

/** Like `visitorOf`, but requires at least the role in the organization at `:orgID`. Also throws 404 and 403. */
export async function memberVisitorOf(
  context: RouterContext,
  request: Request,
  { right, needed }: { right: Right; needed: Role },
): Promise<Visitor & Membership> {
  const visitor = await visitorOf(context, request, right);
  return { ...visitor, ...(await memberOf(context, visitor.account, idParameter(request, 'orgID'), needed)) };
}
