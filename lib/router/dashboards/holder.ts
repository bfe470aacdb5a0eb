/** Whose dashboards a request is about: of holders of a project's keys, and of accounts that are logged in. */
import { AppError } from '../../base/errors.ts';
import type { Actor, Project, Role } from '../../control/types.ts';
import { admitVisitor, type Right } from '../api/doors.ts';
import { actorWith } from '../auth/credentials.ts';
import type { RouterContext } from '../context.ts';
import { idParameter, onlyParameter, queryParameters } from '../http/query-string.ts';
import type { Request } from '../http/request.ts';
import { requireProject } from '../roles.ts';
import type { Admit, TurnDoor } from '../route/managed.ts';
import { parameter } from '../route/schema.ts';

/** With a key of a project, in turns of organizations. Outside /api, which accepts the cookie. */
export const KEYS: TurnDoor = {
  tags: ['dashboards'],
  security: [{ header: [] }],
  takesKeys: false,
  limitsChanges: false,
  ownerOf: async (services, request) => (await byKey(services, request)).project.orgId,
};

/** Whose dashboards to look for. */
export interface Holder {
  readonly project: Project;
  /** The account that is logged in or created the token; null: a secret key, or a token created by the operator. */
  readonly accountId: string | null;
  readonly by: Actor;
  /** Throws for who may not delete the project's dashboards. */
  readonly mayRemove?: () => Promise<unknown>;
}

export type Holding = Pick<RouterContext, 'clients' | 'config' | 'control' | 'gatekeeper'>;

/** Checks who is let in. Throws 401, 403, and 503 when dashboards are switched off. */
export async function byKey({ gatekeeper, clients, control, config }: Holding, request: Request): Promise<Holder> {
  const { ip } = clients.of(request);
  const credential = await gatekeeper.admit(request, { scope: 'dashboards', ip, where: 'header' });
  if (!config.dashboards) throw switchedOff();
  const { project } = credential;
  const by = actorWith(credential, ip);
  if (credential.kind !== 'token') return { project, accountId: null, by };
  const maker = (await control.tokens.find(credential.tokenId))?.accountId ?? null;
  const isMember = maker !== null && (await control.members.role(maker, project.orgId)) !== null;
  return { project, accountId: isMember ? maker : null, by };
}

/** Everybody may delete their own dashboards, only admins those of the project. */
export function byAccount(right: Right, needed: Role = 'viewer'): Admit<Holder> {
  return async (services, request) => {
    const visiting = await admitVisitor(right)(services, request);
    if (!services.config.dashboards) throw switchedOff();
    const { project } = await requireProject(services, visiting, idParameter(request, 'projectID'), needed);
    const mayRemove = (): Promise<unknown> => requireProject(services, visiting, project.id, 'admin');
    return { project, accountId: visiting.account.id, by: visiting.by, mayRemove };
  };
}

/** The owner of a new dashboard. Throws 400 for a personal one from a key without one. */
export function ownerOf({ accountId }: Holder, visibility: Visibility | null): string | null {
  if (visibility !== 'personal') return null;
  if (accountId !== null) return accountId;
  throw new AppError(
    'bad_request',
    'Personal dashboards belong to the member who created the token; this key belongs to no member.',
    {
      hints: [
        'Create a token with scope "dashboards" in the console, or store it for the project: visibility=project.',
      ],
    },
  );
}

export const VISIBILITY = parameter(
  'visibility',
  "Whose dashboard: the project's, or the personal one of the member who created the token or is logged in.",
  { enum: ['personal', 'project'] },
);
export type Visibility = 'personal' | 'project';

/** `?visibility=`; null if missing. Throws AppError 400. */
export function visibilityOf(request: Request): Visibility | null {
  const given = onlyParameter(queryParameters(request), 'visibility');
  if (given === undefined || given === 'personal' || given === 'project') return given ?? null;
  throw new AppError('bad_request', '"visibility" must be "personal" or "project".');
}

/** A parameter; null if missing. Throws AppError 400. */
export function wholeNumberOf(request: Request, name: string, least: 0 | 1): number | null {
  const given = onlyParameter(queryParameters(request), name);
  if (given === undefined) return null;
  if (/^(?:0|[1-9]\d{0,8})$/.test(given) && Number(given) >= least) return Number(given);
  throw new AppError('bad_request', `"${name}" must be a whole number of at least ${least}.`);
}

function switchedOff(): AppError {
  return new AppError('feature_disabled', 'Dashboards are disabled on this server.');
}
