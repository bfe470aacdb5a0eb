/** Projects, the same in both management APIs: list, create, show, change settings, suspend, delete, rotate the secret key. */
import type { Express, RequestHandler } from 'express';
import { projectJson, projectKeysJson } from '../../control/json.ts';
import { parseGrace } from '../../control/projects/lifetime.ts';
import type { Actor } from '../../control/types.ts';
import { AppError } from '../../base/errors.ts';
import { jsonHandler } from '../http/json-handler.ts';
import type { RouterContext } from '../context.ts';
import { addInTurns } from '../in-turn.ts';
import { creating } from './answer-once.ts';
import { type Door, toOrganization, toProject } from './doors.ts';
import { DELETE_BODY, NAME_BODY, readSettings, ROTATE_BODY, SETTINGS_BODY, SUSPEND_BODY } from './project-bodies.ts';
import { projectUsage } from './usage.ts';

/** Where the endpoints are, and who is let in. */
interface ProjectRoutes {
  readonly door: Door;
  readonly list: string;
  readonly one: string;
}

export function addProjectEndpoints(app: Express, context: RouterContext, routes: ProjectRoutes): void {
  const { door, list, one } = routes;
  addInTurns(app, context, list, { get: listProjects(context, door), post: createProject(context, door) });
  addInTurns(app, context, one, {
    get: showProject(context, door),
    delete: deleteProject(context, door),
    patch: changeProject(context, door),
  });
  addInTurns(app, context, `${one}/rotate-secret-key`, { post: rotateSecretKey(context, door) });
  addInTurns(app, context, `${one}/suspend`, { post: suspend(context, door) });
  addInTurns(app, context, `${one}/resume`, { post: resume(context, door) });
  addInTurns(app, context, `${one}/usage`, { get: projectUsage(context, door) });
}

function listProjects({ control }: RouterContext, door: Door): RequestHandler {
  return jsonHandler(toOrganization(door, 'look'), async ({ orgId }) =>
    (await control.projects.list(orgId)).map(projectJson),
  );
}

function createProject(context: RouterContext, door: Door): RequestHandler {
  const from = { takesKeys: door.takesKeys, admit: toOrganization(door, 'change') };
  return creating(context, NAME_BODY, from, async ({ orgId, by }, { name }) => {
    context.projectRate.check(orgId);
    const { project, secretKey } = await createWithin(context, orgId, name, by);
    context.projectRate.add(orgId, 1);
    return { status: 201, value: projectKeysJson(project, secretKey) };
  });
}

/** The host hears of the limit, whatever becomes of the request. */
async function createWithin({ control, webhooks }: RouterContext, orgId: string, name: string, by: Actor) {
  try {
    return await control.projects.create(orgId, name, by);
  } catch (error) {
    if (error instanceof AppError && error.data.code === 'limit_reached')
      webhooks?.limitReached({ org_id: orgId, project_id: null, limit: 'projects' });
    throw error;
  }
}

function showProject({ control }: RouterContext, door: Door): RequestHandler {
  return jsonHandler(toProject(door, 'look'), async ({ project, seesSecrets }) =>
    seesSecrets ? projectKeysJson(project, await control.projects.secretKey(project.id)) : projectJson(project),
  );
}

function changeProject(context: RouterContext, door: Door): RequestHandler {
  const { projects } = context.control;
  return SETTINGS_BODY.handler(context, toProject(door, 'change'), async ({ project }, body) => {
    const changed = await projects.change(project.id, readSettings(body));
    return projectKeysJson(changed, await projects.secretKey(changed.id));
  });
}

/** When the answer arrives, no file holds a byte of the project's events, and its keys have stopped. */
function deleteProject(context: RouterContext, door: Door): RequestHandler {
  return DELETE_BODY.handler(context, toProject(door, 'change'), async ({ project, by }, names, request) => {
    if (names.project_name !== project.name || names.project_name_confirm !== project.name) {
      throw new AppError('bad_request', 'Nothing was deleted: that is not the name of the project.', {
        hints: ['Type the name exactly as it is shown (in the API, as "project_name" and "project_name_confirm").'],
      });
    }
    context.turns.leave(request); // it waits for the disk
    await context.deletions.delete(project.id, by);
    return { deleted: true, id: project.id };
  });
}

function rotateSecretKey(context: RouterContext, door: Door): RequestHandler {
  return ROTATE_BODY.handler(context, toProject(door, 'change'), async ({ project, by }, { grace }) => {
    const graceMs = grace === undefined ? 0 : parseGrace(grace);
    const rotated = await context.control.projects.rotateSecretKey(project.id, graceMs, by);
    return projectKeysJson(rotated.project, rotated.secretKey);
  });
}

/** An organization switches one of its projects off. */
function suspend(context: RouterContext, door: Door): RequestHandler {
  const { projects } = context.control;
  return SUSPEND_BODY.handler(context, toProject(door, 'change'), async ({ project, by }, { what = 'all', reason }) => {
    const suspended = await projects.suspend(project.id, { by: 'organization', what, reason }, by);
    return projectKeysJson(suspended, await projects.secretKey(suspended.id));
  });
}

/** Never lifts the operator's suspension: 403 if there is no other. */
function resume({ control: { projects } }: RouterContext, door: Door): RequestHandler {
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
