/** Who is let in to what a project has saved beside its events: holders of its keys, and its members. */
import type { Actor, Project, Role, Scope } from '../../control/types.ts';
import { actorWith } from '../auth/credentials.ts';
import { idParameter } from '../http/query-string.ts';
import type { Request } from '../http/request.ts';
import { requireProject } from '../roles.ts';
import type { Admit, TurnDoor } from '../route/managed.ts';
import { admitVisitor, type Right } from './doors.ts';

export interface ProjectHolder {
  readonly project: Project;
  readonly by: Actor;
  /** Whether conditions are shown, which may name whom they are of. */
  readonly seesConditions: boolean;
}

/** With a key of a project, in turns of organizations: read with the scope `query`, written with `dashboards`. */
export const keyDoor = (tag: string): TurnDoor => ({
  tags: [tag],
  security: [{ header: [] }],
  takesKeys: false,
  limitsChanges: false,
  ownerOf: async (services, request) => (await projectByKey(scopeOf(request))(services, request)).project.orgId,
});

const scopeOf = ({ method }: Request): Scope => (method === 'GET' || method === 'HEAD' ? 'query' : 'dashboards');

export function projectByKey(scope: Scope): Admit<ProjectHolder> {
  return async ({ gatekeeper, clients }, request) => {
    const { ip } = clients.of(request);
    const credential = await gatekeeper.admit(request, { scope, ip, where: 'header' });
    const seesConditions = credential.kind !== 'token' || credential.hashKey === null;
    return { project: credential.project, by: actorWith(credential, ip), seesConditions };
  };
}

export function projectByAccount(right: Right, needed: Role): Admit<ProjectHolder> {
  return async (services, request) => {
    const visiting = await admitVisitor(right)(services, request);
    const { project } = await requireProject(services, visiting, idParameter(request, 'projectID'), needed);
    return { project, by: visiting.by, seesConditions: true };
  };
}

/** How the same routes let in at two paths. */
export interface Admitting<Holder = ProjectHolder> {
  /** Of the names of its operations. */
  readonly prefix: string;
  readonly reads: Admit<Holder>;
  readonly writes: Admit<Holder>;
}

export const BY_KEY: Admitting = {
  prefix: 'Project',
  reads: projectByKey('query'),
  writes: projectByKey('dashboards'),
};
export const BY_ACCOUNT: Admitting = {
  prefix: '',
  reads: projectByAccount('look', 'viewer'),
  writes: projectByAccount('change', 'member'),
};
