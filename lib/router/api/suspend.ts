/** POST …/suspend and …/resume: an organization switches one of its projects off and on again. */
import type { Express, RequestHandler } from 'express';
import { projectKeysJson } from '../../control/json.ts';
import { AppError } from '../../base/errors.ts';
import { jsonHandler } from '../http/json-handler.ts';
import type { RouterContext } from '../context.ts';
import { toProject } from '../door.ts';
import { addEndpoint } from '../endpoint.ts';
import { SUSPEND_BODY } from './project-bodies.ts';
import type { ProjectRoutes } from './projects.ts';

export function addSuspendEndpoints(app: Express, context: RouterContext, routes: ProjectRoutes): void {
  addEndpoint(app, `${routes.one}/suspend`, { methods: { post: suspend(context, routes) } });
  addEndpoint(app, `${routes.one}/resume`, { methods: { post: resume(context, routes) } });
}

function suspend(context: RouterContext, { door }: ProjectRoutes): RequestHandler {
  const { projects } = context.control;
  return SUSPEND_BODY.handler(context, toProject(door, 'change'), async ({ project, by }, { what = 'all', reason }) => {
    const suspended = await projects.suspend(project.id, { by: 'organization', what, reason }, by);
    return projectKeysJson(suspended, await projects.secretKey(suspended.id));
  });
}

/** Never lifts the operator's suspension: 403 if there is no other. */
function resume({ control: { projects } }: RouterContext, { door }: ProjectRoutes): RequestHandler {
  return jsonHandler(toProject(door, 'change'), async ({ project, by }) => {
    const [first, ...more] = project.suspensions;
    if (first?.by === 'operator' && more.length === 0) {
      throw new AppError('suspended', `The operator of this server has suspended this project: ${first.reason}`, {
        hints: ['Only the operator can resume it.'],
      });
    }
    const resumed = await projects.resume(project.id, 'organization', by);
    return projectKeysJson(resumed, await projects.secretKey(resumed.id));
  });
}
