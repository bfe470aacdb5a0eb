/** /api/*: for logged-in accounts, by their role in the organization. */
import type { Role } from '../../control/types.ts';
import type { RouterContext } from '../context.ts';
import { idParameter } from '../http/path-parameter.ts';
import { mayIn, projectOf } from '../roles.ts';
import type { Door, Right } from '../door.ts';
import { memberVisitorOf, visitorOf } from './visitor.ts';

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
