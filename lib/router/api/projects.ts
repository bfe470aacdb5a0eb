/** Projects and their tokens, the same in both management APIs, and the devices of projects. */
import type { Express } from 'express';
import { projectJson, projectKeysJson, tokenJson } from '../../control/json.ts';
import { parseGrace, parseLifetime } from '../../control/projects/lifetime.ts';
import type { Actor, Project } from '../../control/types.ts';
import { isoTime } from '../../base/day.ts';
import { AppError } from '../../base/errors.ts';
import { JSON_TYPE, jsonHandler, sendWritten } from '../http/answer.ts';
import type { RouterContext } from '../context.ts';
import { addInTurns } from '../in-turn.ts';
import { creating } from './answer-once.ts';
import { type Door, toOrganization, toProject } from './doors.ts';
import {
  DELETE_BODY,
  NAME_BODY,
  readSettings,
  ROTATE_BODY,
  SETTINGS_BODY,
  SUSPEND_BODY,
  TOKEN_BODY,
} from './project-bodies.ts';
import { usageRange } from './usage.ts';
import { idParameter, pathParameter } from '../http/query-string.ts';
import { noSuch } from '../roles.ts';
import type { DeviceBindings } from '../../store/event-store.ts';
import { projectRef } from '../auth/credentials.ts';

interface ProjectRoutes {
  readonly door: Door;
  readonly list: string;
  readonly one: string;
}

export function addProjectEndpoints(app: Express, context: RouterContext, { door, list, one }: ProjectRoutes): void {
  const { control, projectRate, turns, deletions } = context;
  const { projects } = control;
  const withKeys = async (project: Project) => projectKeysJson(project, await projects.secretKey(project.id));
  const toChange = toProject(door, 'change');
  addInTurns(app, context, {
    [list]: {
      get: async (request, response) => {
        const { orgId } = await door.organization(request, 'look');
        await sendWritten(response, JSON_TYPE, listJson(projects.pages(orgId)));
      },
      post: creating(
        context,
        NAME_BODY,
        { takesKeys: door.takesKeys, admit: toOrganization(door, 'change') },
        async ({ orgId, by }, { name }) => {
          projectRate.check(orgId);
          const { project, secretKey } = await createWithin(context, orgId, name, by);
          projectRate.add(orgId, 1);
          return { status: 201, value: projectKeysJson(project, secretKey) };
        },
      ),
    },
    [one]: {
      get: jsonHandler(toProject(door, 'look'), ({ project, seesSecrets }) =>
        seesSecrets ? withKeys(project) : projectJson(project),
      ),
      // When the answer arrives, no file holds a byte of the project's events, and its keys have stopped.
      delete: DELETE_BODY.handler(context, toChange, async ({ project, by }, names, request) => {
        if (names.project_name !== project.name || names.project_name_confirm !== project.name) {
          throw new AppError('bad_request', 'Nothing was deleted: that is not the name of the project.', {
            hints: ['Type the name exactly as it is shown (in the API, as "project_name" and "project_name_confirm").'],
          });
        }
        turns.leave(request); // it waits for the disk
        await deletions.delete(project.id, by);
        return { deleted: true, id: project.id };
      }),
      patch: SETTINGS_BODY.handler(context, toChange, async ({ project }, body) =>
        withKeys(await projects.change(project.id, readSettings(body))),
      ),
    },
    [`${one}/rotate-secret-key`]: {
      post: ROTATE_BODY.handler(context, toChange, async ({ project, by }, { grace }) => {
        const rotated = await projects.rotateSecretKey(project.id, grace === undefined ? 0 : parseGrace(grace), by);
        return projectKeysJson(rotated.project, rotated.secretKey);
      }),
    },
    // An organization switches one of its projects off.
    [`${one}/suspend`]: {
      post: SUSPEND_BODY.handler(context, toChange, async ({ project, by }, { what = 'all', reason }) =>
        withKeys(await projects.suspend(project.id, { by: 'organization', what, reason }, by)),
      ),
    },
    // Never lifts the operator's suspension: 403 if there is no other.
    [`${one}/resume`]: {
      post: jsonHandler(toChange, async ({ project, by }) => {
        const [first, ...more] = project.suspensions;
        if (first?.by === 'operator' && more.length === 0) {
          throw new AppError('suspended', `The operator of this server has suspended this project: ${first.reason}`, {
            hints: ['Only the operator can resume it.'],
          });
        }
        return withKeys(await projects.resume(project.id, 'organization', by));
      }),
    },
    [`${one}/usage`]: {
      get: jsonHandler(toProject(door, 'look'), ({ project }, request) =>
        control.usage.ofProject(project.id, usageRange(request)),
      ),
    },
  });
}

/** As JSON.stringify writes the list. */
async function* listJson(pages: AsyncIterable<readonly Project[]>): AsyncGenerator<string> {
  let before = '[';
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield before + JSON.stringify(page.map(projectJson)).slice(1, -1);
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
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

/** Access tokens of a project, at the path `one`. Only the answer that creates a token contains it. */
export function addTokenEndpoints(app: Express, context: RouterContext, door: Door, one: string): void {
  const { tokens } = context.control;
  addInTurns(app, context, {
    [`${one}/tokens`]: {
      get: jsonHandler(toProject(door, 'read'), async ({ project }) => (await tokens.list(project.id)).map(tokenJson)),
      post: creating(
        context,
        TOKEN_BODY,
        { takesKeys: door.takesKeys, admit: toProject(door, 'change') },
        async ({ project, by }, { name, scopes, expires_in: lifetime }) => {
          const lifetimeMs = lifetime === undefined ? {} : { lifetimeMs: parseLifetime(lifetime, 'expires_in') };
          const { token, key } = await tokens.create({ projectId: project.id, name, scopes, ...lifetimeMs }, by);
          return { status: 201, value: { ...tokenJson(token), token: key } };
        },
      ),
    },
    [`${one}/tokens/:tokenID`]: {
      delete: jsonHandler(toProject(door, 'change'), async ({ project, by }, request) => {
        const id = idParameter(request, 'tokenID');
        if ((await tokens.find(id))?.projectId !== project.id) throw noSuch('token');
        await tokens.revoke(project.id, id, by);
        return { deleted: true, id };
      }),
    },
  });
}

/** Devices of a project: whom one is and was bound to, and undoing its last binding. */
export function addDeviceEndpoints(app: Express, context: RouterContext, door: Door): void {
  const { store, turns } = context;
  addInTurns(app, context, {
    '/api/projects/:projectID/devices/:deviceID': {
      get: jsonHandler(toProject(door, 'read'), async ({ project }, request) => {
        const deviceId = pathParameter(request, 'deviceID');
        turns.leave(request); // it waits for a writer
        const device = await store.device(projectRef(project), deviceId);
        await turns.enter(request); // a thousand changes are written
        return deviceJson(deviceId, device);
      }),
      delete: jsonHandler(toProject(door, 'change'), async ({ project }, request) => {
        const deviceId = pathParameter(request, 'deviceID');
        const ref = projectRef(project);
        turns.leave(request);
        const undone = await store.unbindDevice(ref, deviceId);
        const bindings = await store.device(ref, deviceId);
        await turns.enter(request);
        const device = deviceJson(deviceId, bindings);
        if (!undone) throw new AppError('conflict', 'The device is not bound to a user: there is nothing to undo.');
        return device;
      }),
    },
  });
}

/** Throws 404 for a device that was never bound. */
function deviceJson(deviceId: string, device: DeviceBindings | null) {
  if (device === null) throw noSuch('device');
  return {
    device_id: deviceId,
    user_id: device.userId,
    bound_at: device.boundAt === null ? null : isoTime(device.boundAt),
    history: device.history.map(({ at, action, userId }) => ({ at: isoTime(at), action, user_id: userId })),
  };
}
