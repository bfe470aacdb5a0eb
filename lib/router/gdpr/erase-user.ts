/** DELETE /api/gdpr/users/{userID}: everything of a user goes, and is gone from the disk when it is answered. */
import type { RequestHandler } from 'express';
import { sendJson } from '../answer.ts';
import type { RouterContext } from '../context.ts';
import { projectRef } from '../credentials.ts';
import { userRequest } from './user-request.ts';

/** It goes on when the client leaves: half an erasure is none. */
export function eraseUser(context: RouterContext): RequestHandler {
  return async (request, response) => {
    const { project, userId, by } = userRequest(context, request);
    context.control.auditUser('user.erase', project.id, userId, by);
    const { events, profiles, devices } = await context.store.eraseUser(projectRef(project), userId);
    sendJson(response, 200, { deleted: { events, profiles, devices } });
  };
}
