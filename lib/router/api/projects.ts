/** Projects, the same for both management APIs: list, create, show, change settings, delete, rotate the secret key. */
import type { Express, RequestHandler } from 'express';
import { projectJson, projectKeysJson } from '../../control/json.ts';
import { parseGrace } from '../../control/projects/lifetime.ts';
import type { Actor } from '../../control/types.ts';
import { AppError } from '../../base/errors.ts';
import { sendJson } from '../http/answer.ts';
import type { RouterContext } from '../context.ts';
import { addEndpoint } from '../endpoint.ts';
import { answerOnce } from './answer-once.ts';
import type { Door } from '../door.ts';
import { DELETE_BODY, NAME_BODY, ROTATE_BODY, SETTINGS_BODY, readSettings } from './project-bodies.ts';
import { projectUsage } from './usage.ts';

/** Where the endpoints are, and who may come in. */
export interface ProjectRoutes {
  readonly door: Door;
  readonly list: string;
  readonly one: string;
}

export function addProjectEndpoints(app: Express, context: RouterContext, routes: ProjectRoutes): void {
  const { door, list, one } = routes;
  addEndpoint(app, list, { methods: { get: listProjects(context, door), post: createProject(context, door) } });
  addEndpoint(app, one, {
    methods: {
      get: showProject(context, door),
      delete: deleteProject(context, door),
      patch: changeProject(context, door),
    },
  });
  addEndpoint(app, `${one}/rotate-secret-key`, { methods: { post: rotateSecretKey(context, door) } });
  addEndpoint(app, `${one}/usage`, { methods: { get: projectUsage(context, door) } });
}

function listProjects({ control }: RouterContext, door: Door): RequestHandler {
  return (request, response) => {
    const { orgId } = door.organization(request, 'look');
    sendJson(response, 200, control.projects.list(orgId).map(projectJson));
  };
}

function createProject(context: RouterContext, door: Door): RequestHandler {
  return async (request, response) => {
    const admit = () => door.organization(request, 'change');
    const { body, admitted } = await NAME_BODY.receiveFrom(admit, { context, request, response });
    const { orgId, by } = admitted;
    answerOnce(context, { door, request, response, orgId, body }, () => {
      context.projectRate.check(orgId, response);
      const { project, secretKey } = createWithin(context, orgId, body.name, by);
      context.projectRate.add(orgId, 1);
      return { status: 201, value: projectKeysJson(project, secretKey) };
    });
  };
}

/** The host is told of the limit, whatever becomes of the request. */
function createWithin({ control, webhooks }: RouterContext, orgId: string, name: string, by: Actor) {
  try {
    return control.projects.create(orgId, name, by);
  } catch (error) {
    if (error instanceof AppError && error.data.code === 'limit_reached')
      webhooks?.limitReached({ orgId, projectId: null, limit: 'projects' });
    throw error;
  }
}

function showProject({ control }: RouterContext, door: Door): RequestHandler {
  return (request, response) => {
    const { project, seesSecrets } = door.project(request, 'look');
    sendJson(
      response,
      200,
      seesSecrets ? projectKeysJson(project, control.projects.secretKey(project.id)) : projectJson(project),
    );
  };
}

function changeProject(context: RouterContext, door: Door): RequestHandler {
  const { control } = context;
  return async (request, response) => {
    const admit = () => door.project(request, 'change');
    const { body, admitted } = await SETTINGS_BODY.receiveFrom(admit, { context, request, response });
    const changed = control.projects.change(admitted.project.id, readSettings(body));
    sendJson(response, 200, projectKeysJson(changed, control.projects.secretKey(changed.id)));
  };
}

/** When the answer arrives, no byte of the project's events is in any file and its keys have stopped. */
function deleteProject(context: RouterContext, door: Door): RequestHandler {
  return async (request, response) => {
    const admit = () => door.project(request, 'change');
    const { body: names, admitted } = await DELETE_BODY.receiveFrom(admit, { context, request, response });
    const { project, by } = admitted;
    if (names.project_name !== project.name || names.project_name_confirm !== project.name) {
      throw new AppError('bad_request', 'Nothing was deleted: the names do not match the project.', {
        hints: ['Send the exact name of the project in "project_name" and again in "project_name_confirm".'],
      });
    }
    await context.deletions.delete(project.id, by);
    sendJson(response, 200, { deleted: true, id: project.id });
  };
}

function rotateSecretKey(context: RouterContext, door: Door): RequestHandler {
  return async (request, response) => {
    const admit = () => door.project(request, 'change');
    const { body, admitted } = await ROTATE_BODY.receiveFrom(admit, { context, request, response });
    const { grace } = body;
    const graceMs = grace === undefined ? 0 : parseGrace(grace);
    const rotated = context.control.projects.rotateSecretKey(admitted.project.id, graceMs, admitted.by);
    sendJson(response, 200, projectKeysJson(rotated.project, rotated.secretKey));
  };
}
