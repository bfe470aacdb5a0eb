/** Who visits a page of the console, and what a page does without a login or when something does not exist. */
import type { Request, RequestHandler } from '../../http/request.ts';
import type { Act } from '../../../control/accounts/logins.ts';
import type { Membership, Project, Role } from '../../../control/types.ts';
import type { MonthUse } from '../../../control/usage/allowance.ts';
import { AppError, ERROR_STATUS } from '../../../base/errors.ts';
import type { RouterContext } from '../../context.ts';
import { idParameter } from '../../http/query-string.ts';
import { inTurn } from '../../route/in-turn.ts';
import { requireMember, requireProject, reaches } from '../../roles.ts';
import { type Html, html } from '../html.ts';
import { forReader } from '../figures.ts';
import type { HostSettings } from '../layout.ts';
import { redirect, sendPage } from '../page-policy.ts';
import { consolePage } from './console-layout.ts';
import { findPlaces, type Places } from './places.ts';
import { CONSOLE, projectPagePath } from './paths.ts';

export interface Visit extends Act {
  /** The address that the login has proven. */
  readonly email: string | null;
  readonly request: Request;
  readonly host: HostSettings;
}

/** With the limits of this month that hold there. */
export type OrgVisit = Visit & Membership & { readonly limits: readonly MonthUse[]; readonly places: Places };

export type ProjectVisit = OrgVisit & { readonly project: Project };

/** The services that pages of the console use. */
export type Visiting = Pick<
  RouterContext,
  'clients' | 'config' | 'control' | 'publicUrl' | 'sessions' | 'turns' | 'unread'
>;

/** What a visit leads to: a page, or the path of another one. */
type Shown = Html | string;

/** Shows a page to logged-in accounts, and sends everybody else to the login, which leads back. */
export function forAccounts(context: Visiting, render: (visit: Visit) => Shown | Promise<Shown>): RequestHandler {
  return async (request, response) => {
    const found = await context.sessions.find(request);
    if (found === null) return redirect(response, `/login?return_to=${encodeURIComponent(request.originalUrl)}`);
    const visit = { ...found, ip: context.clients.of(request).ip, request, host: context.config };
    await inTurn(context, found.account.id, { request, response }, async () => {
      const { status, page } = await forReader(request.headers['accept-language'], () => pageOf(visit, render));
      if (typeof page === 'string') redirect(response, page);
      else sendPage(response, status, page);
    });
  };
}

async function pageOf(visit: Visit, render: (visit: Visit) => Shown | Promise<Shown>) {
  try {
    return { status: 200, page: await render(visit) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { status: ERROR_STATUS[error.data.code], page: errorPage(visit, error) };
  }
}

/** Like `forAccounts`, for members of the organization at `:orgID` with at least that role. */
export function forMembers(
  context: Visiting,
  needed: Role,
  render: (visit: OrgVisit) => Html | Promise<Html>,
): RequestHandler {
  return forAccounts(context, async (visit) => {
    const membership = await requireMember(context, visit, idParameter(visit.request, 'orgID'), needed);
    const use = await context.control.allowance.ofOrganization(membership.organization.id);
    const places = await findPlaces(context, { accountId: visit.account.id, orgId: membership.organization.id, projectId: null }); // prettier-ignore
    return render({ ...visit, ...membership, limits: use === null ? [] : [use], places });
  });
}

/** Like `forMembers`, for the project at `:projectID` and a role in its organization. */
export function forProject(
  context: Visiting,
  needed: Role,
  render: (visit: ProjectVisit) => Html | Promise<Html>,
): RequestHandler {
  return forAccounts(context, async (visit) => {
    const { project, role } = await requireProject(context, visit, idParameter(visit.request, 'projectID'), needed);
    const organization = await context.control.organizations.get(project.orgId);
    const places = await findPlaces(context, { accountId: visit.account.id, orgId: project.orgId, projectId: project.id }); // prettier-ignore
    const limits = await context.control.allowance.uses(project);
    return render({ ...visit, project, role, organization, limits, places });
  });
}

/** Whether the visitor may do what requires a role. */
export function may({ role }: { readonly role: Role }, needed: Role): boolean {
  return reaches(role, needed);
}

/** The page of a person, where links from ids lead; '' for viewers, who may not see it. */
export function personPath(visit: ProjectVisit): string {
  return may(visit, 'member') ? projectPagePath(visit.project.id, 'person') : '';
}

function errorPage(visit: Visit, { data }: AppError): Html {
  const missing = data.code === 'not_found';
  return consolePage({
    visit,
    title: missing ? 'Not found' : 'Something went wrong',
    main: html`<p>${data.message}</p>
      ${missing ? null : (data.hints ?? []).map((hint) => html`<p>${hint}</p>`)}
      <p><a class="button" href="${CONSOLE}">Back to your organizations</a></p>`,
  });
}
