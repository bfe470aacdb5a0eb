/** Who is let in to the management APIs: logged-in accounts, by their role, and holders of an admin key. */
import type { Request } from 'express';
import type { Actor, Role } from '../../control/types.ts';
import type { RouterContext } from '../context.ts';
import { idParameter } from '../http/path-parameter.ts';
import { mayIn, projectOf } from '../roles.ts';
import { type Door, noSuch, type Right } from '../door.ts';
import { memberVisitorOf, visitorOf } from './visitor.ts';

/** /api/*: for logged-in accounts, by their role in the organization. */

/** The lowest role that has the right to projects, their keys and tokens. */
const NEEDED: Readonly<Record<Right, Role>> = { look: 'viewer', ask: 'viewer', read: 'member', change: 'admin' };

export function sessionDoor(context: RouterContext): Door {
  return {
    takesKeys: false,
    organization: async (request, right) => {
      const { organization, by } = await memberVisitorOf(context, request, { right, needed: NEEDED[right] });
      return { orgId: organization.id, by };
    },
    project: async (request, right) => {
      const { account, by } = await visitorOf(context, request, right);
      const project = await projectOf(context, account, idParameter(request, 'projectID'), NEEDED[right]);
      const { orgId } = project;
      return { project, orgId, by, seesSecrets: await mayIn(context, account, orgId, NEEDED.read) };
    },
  };
}

/** /api/admin/*: for the holder of an organization's admin key, sent in the header X-API-Key. */

/** The actor in the audit trail of the organization that owns the key. */
const ACTOR = 'admin key';

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
