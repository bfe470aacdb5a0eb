/** Who sends a request of the session API, and in which organization. */
import type { Request } from 'express';
import type { Account, Actor, Organization, Role } from '../../control/types.ts';
import type { RouterContext } from '../context.ts';
import { idParameter } from '../http/path-parameter.ts';
import { actorOf, memberOf } from '../roles.ts';
import { requireSameOrigin } from '../auth/sessions.ts';
import type { Right } from '../door.ts';

export interface Visitor {
  readonly account: Account;
  /** Names the requesting session. */
  readonly sessionId: string;
  readonly by: Actor;
}

/** Who is logged in. Throws 401 when nobody is, and 403 for a change or query sent from another origin. */
export async function visitorOf(
  { sessions, clients }: RouterContext,
  request: Request,
  right: Right,
): Promise<Visitor> {
  const { account, sessionId } = await sessions.loggedIn(request);
  if (right === 'change' || right === 'ask') requireSameOrigin(request);
  return { account, sessionId, by: actorOf(account, clients.of(request).ip) };
}

/** Like `visitorOf`, but requires at least the role in the organization at `:orgID`. Also throws 404 and 403. */
export async function memberVisitorOf(
  context: RouterContext,
  request: Request,
  { right, needed }: { right: Right; needed: Role },
): Promise<Visitor & { readonly organization: Organization }> {
  const visitor = await visitorOf(context, request, right);
  const organization = await memberOf(context, visitor.account, idParameter(request, 'orgID'), needed);
  return { ...visitor, organization };
}
