/** /dashboards: what the keys of a project store and read. Outside /api, which accepts the cookie. */
import type { Express, Request, RequestHandler } from 'express';
import type { Actor, Project } from '../../control/types.ts';
import { AppError } from '../../base/errors.ts';
import { noSuch } from '../door.ts';
import { sendJson } from '../http/answer.ts';
import { jsonHandler } from '../http/json-handler.ts';
import type { RouterContext } from '../context.ts';
import { addEndpoint } from '../endpoint.ts';
import { pathParameter } from '../http/path-parameter.ts';
import { dashboardJson, dashboardTextJson } from './dashboard-json.ts';
import { findDashboard, switchedOff, visibilityOf } from './dashboard-request.ts';
import { receiveDashboard } from './receive-dashboard.ts';

export function addDashboardEndpoints(app: Express, context: RouterContext): void {
  const holder = (request: Request): Holder => holderOf(context, request);
  addEndpoint(app, '/dashboards', { methods: { get: listDashboards(context, holder) } });
  addEndpoint(app, '/dashboards/:dashboardID', {
    methods: {
      get: showDashboard(context, holder),
      put: store(context),
      delete: removeDashboard(context, holder),
    },
  });
}

/** Whose dashboards to look for. */
export interface Holder {
  readonly project: Project;
  /** The account that is logged in or created the token; null: a secret key, or a token created by the operator. */
  readonly accountId: string | null;
  readonly by: Actor;
  /** Throws for who may not delete the project's dashboards. */
  readonly mayRemove?: () => void;
}

type Admit = (request: Request) => Holder;

/** Checks who is let in. Throws 401, 403, and 503 when dashboards are switched off. */
function holderOf({ gatekeeper, clients, control, config }: RouterContext, request: Request): Holder {
  const { ip } = clients.of(request);
  const credential = gatekeeper.admit(request, { scope: 'dashboards', ip, where: 'header' });
  if (!config.dashboards) throw switchedOff();
  const { project } = credential;
  if (credential.kind !== 'token') return { project, accountId: null, by: { name: `secret:${project.id}`, ip } };
  const { createdBy } = control.tokens.find(credential.tokenId) ?? { createdBy: '' };
  const account = control.accounts.named(createdBy);
  const isMember = account !== null && control.members.role(account.id, project.orgId) !== null;
  return { project, accountId: isMember ? account.id : null, by: { name: `token:${credential.tokenId}`, ip } };
}

export function listDashboards({ control }: RouterContext, admit: Admit): RequestHandler {
  return jsonHandler(admit, ({ project, accountId }) =>
    control.dashboards.list(project.id, accountId).map((one) => dashboardJson(control, one)),
  );
}

export function showDashboard(context: RouterContext, admit: Admit): RequestHandler {
  return jsonHandler(admit, ({ project, accountId }, request) =>
    dashboardTextJson(context.control, findDashboard(context, request, { projectId: project.id, accountId })),
  );
}

function store(context: RouterContext): RequestHandler {
  return async (request, response) => {
    const before = holderOf(context, request);
    context.queryRate.check(before.project, response);
    ownerOf(before, request);
    context.queryRate.add(before.project, 1);
    const id = pathParameter(request, 'dashboardID');
    const { yaml, dashboard } = await receiveDashboard(context, { request, response, id });
    const holder = holderOf(context, request); // the right may have been lost meanwhile
    const { stored, outcome } = context.control.dashboards.write(
      {
        projectId: holder.project.id,
        id,
        owner: ownerOf(holder, request),
        title: dashboard.title,
        order: dashboard.order,
        yaml,
        checked: JSON.stringify(dashboard),
      },
      holder.by,
    );
    const unchanged = outcome === 'unchanged';
    sendJson(response, outcome === 'created' ? 201 : 200, { ...dashboardJson(context.control, stored), unchanged });
  };
}

/** The owner of a new dashboard. Throws 400 for a personal one from a key without one. */
function ownerOf({ accountId }: Holder, request: Request): string | null {
  if (visibilityOf(request) !== 'personal') return null;
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

export function removeDashboard(context: RouterContext, admit: Admit): RequestHandler {
  return jsonHandler(admit, ({ project, accountId, by, mayRemove }, request) => {
    const { id, owner } = findDashboard(context, request, { projectId: project.id, accountId });
    if (owner === null) mayRemove?.();
    if (!context.control.dashboards.delete({ projectId: project.id, id, owner }, by)) throw noSuch('dashboard');
    return { deleted: true, id };
  });
}
