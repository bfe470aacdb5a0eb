/** /api/admin/*: for the holder of an organization's admin key, sent in the header X-API-Key. */
import type { Request } from 'express';
import type { Actor } from '../../control/types.ts';
import type { RouterContext } from '../context.ts';
import { idParameter } from '../http/path-parameter.ts';
import { noSuch, type Door } from '../door.ts';

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
