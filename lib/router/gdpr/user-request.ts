/** What the endpoints about one user share. None of this is logged: paths hold ids of people. */
import type { Request } from 'express';
import type { Actor, Project } from '../../control/types.ts';
import type { RouterContext } from '../context.ts';
import { pathParameter } from '../http/path-parameter.ts';

export interface UserRequest {
  readonly project: Project;
  readonly userId: string;
  /** The actor in the audit trail. */
  readonly by: Actor;
}

/** Throws 401 and 403. Keys in the query string do not count here: they end up in other people's logs. */
export async function userRequest({ gatekeeper, clients }: RouterContext, request: Request): Promise<UserRequest> {
  const { ip } = clients.of(request);
  const credential = await gatekeeper.admit(request, { scope: 'admin', ip, where: 'header' });
  const { project } = credential;
  const name = credential.kind === 'token' ? `token:${credential.tokenId}` : `secret:${project.id}`;
  return { project, userId: pathParameter(request, 'userID'), by: { name, ip } };
}
