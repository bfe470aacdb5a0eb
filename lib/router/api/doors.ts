/** Who is let in to the management APIs: logged-in accounts, by their role, and holders of an admin key. */
import { actorOf } from '../../control/accounts/accounts.ts';
import type { Act } from '../../control/accounts/logins.ts';
import type { Actor, Membership, Project, Role, Suspender } from '../../control/types.ts';
import { requireSameOrigin, type LoggedIn } from '../auth/sessions.ts';
import type { Admit, TurnDoor } from '../route/managed.ts';
import { ADMIN_ACCESS, OPERATOR_ACCESS, SESSION_ACCESS } from '../route/route.ts';
import { idParameter } from '../http/query-string.ts';
import { refuseSuspended } from '../limits/suspension.ts';
import { requireMember, noSuch, requireProject, reaches } from '../roles.ts';

/**
 * `look`: what every member may see. `ask`: run queries. `read`: everything, secret keys too. `change`: change something. `make`:
 * make something new, a key or a token too, which an organization may not while the operator has suspended it.
 */
export type Right = 'look' | 'ask' | 'read' | 'change' | 'make';

/**
 * How a management API lets requests in. Both methods throw: 401 without a credential, 403 when it may not, 404 for what it may
 * not know of, with the same body as for an unknown id.
 */
export interface Door extends TurnDoor {
  /** Whose suspensions it makes and lifts. The operator is also above the limits of organizations. */
  readonly suspender: Suspender;
  readonly organization: (right: Right) => Admit<{ readonly orgId: string; readonly by: Actor }>;
  /** The project at `{projectID}` of the path. `seesSecrets`: whether its secret key may be shown. */
  readonly project: (right: Right) => Admit<Admitted>;
}

interface Admitted {
  readonly orgId: string;
  readonly project: Project;
  readonly by: Actor;
  readonly seesSecrets: boolean;
}

/** The lowest role that has the right to projects, their keys and tokens. */
const NEEDED: Readonly<Record<Right, Role>> = {
  look: 'viewer',
  ask: 'viewer',
  read: 'member',
  change: 'admin',
  make: 'admin',
};

/** /api/*: for logged-in accounts, by their role in the organization. Each waits for its own turn, whatever it asks about. */
export const SESSION: Door = {
  ...SESSION_ACCESS,
  suspender: 'organization',
  takesKeys: false,
  limitsChanges: true,
  ownerOf: async ({ sessions }, request) => (await sessions.loggedInEarly(request)).account.id,
  organization: (right) => async (services, request) => {
    const { organization, by } = await admitMember(right, NEEDED[right])(services, request);
    return { orgId: organization.id, by };
  },
  project: (right) => async (services, request) => {
    const visiting = await admitVisitor(right)(services, request);
    const { project, role } = await requireProject(
      services,
      visiting,
      idParameter(request, 'projectID'),
      NEEDED[right],
    );
    if (right === 'make') refuseSuspended(await services.control.organizations.get(project.orgId));
    return { project, orgId: project.orgId, by: visiting.by, seesSecrets: reaches(role, NEEDED.read) };
  },
};

/** The actor in the audit trail of the organization that owns the key. */
const ACTOR = 'admin key';

/** /api/admin/*: for the holder of an organization's admin key, sent in the header X-API-Key. */
export const ADMIN: Door = {
  ...ADMIN_ACCESS,
  suspender: 'organization',
  takesKeys: true,
  limitsChanges: true,
  ownerOf: ({ gatekeeper, clients }, request) => gatekeeper.admitOrganization(request, clients.of(request).ip),
  organization:
    (right) =>
    async ({ gatekeeper, clients, control }, request) => {
      const { ip } = clients.of(request);
      const orgId = await gatekeeper.admitOrganization(request, ip);
      if (right === 'make') refuseSuspended(await control.organizations.get(orgId));
      return { orgId, by: { name: ACTOR, ip } };
    },
  project: (right) => async (services, request) => {
    const { orgId, by } = await ADMIN.organization(right)(services, request);
    const project = await services.control.projects.find(idParameter(request, 'projectID'));
    if (project?.orgId !== orgId) throw noSuch('project');
    return { project, orgId, by, seesSecrets: true };
  },
};

/** /operator/*: for the holder of an operator key, who may do everything to every organization. */
export const OPERATOR: Door = {
  ...OPERATOR_ACCESS,
  suspender: 'operator',
  takesKeys: true,
  limitsChanges: true,
  ownerOf: ({ gatekeeper, clients }, request) => gatekeeper.admitOperator(request, clients.of(request).ip),
  organization: () => async (services, request) => {
    const by = await admitOperator(services, request);
    const found = await services.control.organizations.find(idParameter(request, 'orgID'));
    if (found === null) throw noSuch('organization');
    return { orgId: found.id, by };
  },
  project: () => async (services, request) => {
    const by = await admitOperator(services, request);
    const project = await services.control.projects.find(idParameter(request, 'projectID'));
    if (project === null) throw noSuch('project');
    return { project, orgId: project.orgId, by, seesSecrets: true };
  },
};

/** The operator, as the audit trail names the key. */
export const admitOperator: Admit<Actor> = async ({ gatekeeper, clients }, request) => {
  const { ip } = clients.of(request);
  return { name: `operator:${await gatekeeper.admitOperator(request, ip)}`, ip };
};

type Visitor = LoggedIn & Act & { readonly by: Actor };

/** Who is logged in. Throws 401 when nobody is, and 403 for a change or query sent from another origin. */
export function admitVisitor(right: Right): Admit<Visitor> {
  return async ({ sessions, clients }, request) => {
    const found = await sessions.loggedIn(request);
    if (right !== 'look' && right !== 'read') requireSameOrigin(request);
    const { ip } = clients.of(request);
    return { ...found, ip, by: actorOf(found.account, ip) };
  };
}

/** Like `visitor`, but requires at least the role in the organization at `{orgID}`. Also throws 404 and 403. */
export function admitMember(right: Right, needed: Role): Admit<Visitor & Membership> {
  return async (services, request) => {
    const visiting = await admitVisitor(right)(services, request);
    const membership = await requireMember(services, visiting, idParameter(request, 'orgID'), needed);
    if (right === 'make') refuseSuspended(membership.organization);
    return { ...visiting, ...membership };
  };
}
