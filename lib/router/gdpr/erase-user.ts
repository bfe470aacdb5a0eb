/** DELETE /api/gdpr/users/{userID}: erases everything of a user; when it answers, nothing is left on disk. */
import type { RequestHandler } from 'express';
import { ProjectLimit } from '../../store/project-limit.ts';
import { sendJson } from '../http/answer.ts';
import type { RouterContext } from '../context.ts';
import { projectRef } from '../auth/credentials.ts';
import { userRequest } from './user-request.ts';

/** Erasures that run or wait. Each reads a whole project and continues when its client leaves: without a limit they pile up. */
const ERASURES = { what: 'erasures', ofProject: 8, ofAll: 64 };

/** Continues when the client leaves: half an erasure is worthless. */
export function eraseUser(context: RouterContext): RequestHandler {
  const limit = new ProjectLimit(ERASURES);
  return async (request, response) => {
    const { project, userId, by } = await userRequest(context, request);
    const leave = limit.enter(project);
    request.setTimeout(0); // the connection is silent while the file is rewritten
    try {
      await context.control.auditUser('user.erase', project.id, userId, by);
      const { events, profiles, devices } = await context.store.eraseUser(projectRef(project), userId, (toErase) =>
        context.erasures.userErased(project.id, userId, toErase),
      );
      await context.erasures.reach();
      sendJson(response, 200, { deleted: { events, profiles, devices } });
    } finally {
      leave();
    }
  };
}
