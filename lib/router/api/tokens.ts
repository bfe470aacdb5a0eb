/** Access tokens of a project. Only the answer that creates a token contains it. */
import type { Express, RequestHandler } from 'express';
import { tokenJson } from '../../control/json.ts';
import { parseLifetime } from '../../control/projects/lifetime.ts';
import { jsonHandler } from '../http/json-handler.ts';
import type { RouterContext } from '../context.ts';
import { addInTurns } from '../in-turn.ts';
import { idParameter } from '../http/path-parameter.ts';
import { creating } from './answer-once.ts';
import { noSuch } from '../roles.ts';
import { toProject, type Door } from './doors.ts';
import { TOKEN_BODY } from './project-bodies.ts';

/** `one`: the path of a project. */
export function addTokenEndpoints(app: Express, context: RouterContext, door: Door, one: string): void {
  const path = `${one}/tokens`;
  addInTurns(app, context, path, { get: listTokens(context, door), post: createToken(context, door) });
  addInTurns(app, context, `${path}/:tokenID`, { delete: revokeToken(context, door) });
}

function listTokens({ control }: RouterContext, door: Door): RequestHandler {
  return jsonHandler(toProject(door, 'read'), async ({ project }) =>
    (await control.tokens.list(project.id)).map(tokenJson),
  );
}

function createToken(context: RouterContext, door: Door): RequestHandler {
  const from = { takesKeys: door.takesKeys, admit: toProject(door, 'change') };
  return creating(context, TOKEN_BODY, from, async ({ project, by }, { name, scopes, expires_in: lifetime }) => {
    const lifetimeMs = lifetime === undefined ? {} : { lifetimeMs: parseLifetime(lifetime, 'expires_in') };
    const wanted = { projectId: project.id, name, scopes, ...lifetimeMs };
    const { token, key } = await context.control.tokens.create(wanted, by);
    return { status: 201, value: { ...tokenJson(token), token: key } };
  });
}

function revokeToken({ control }: RouterContext, door: Door): RequestHandler {
  return jsonHandler(toProject(door, 'change'), async ({ project, by }, request) => {
    const id = idParameter(request, 'tokenID');
    if ((await control.tokens.find(id))?.projectId !== project.id) throw noSuch('token');
    await control.tokens.revoke(project.id, id, by);
    return { deleted: true, id };
  });
}
