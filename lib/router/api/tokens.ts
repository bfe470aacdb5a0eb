/** Access tokens of a project. Only the answer that creates a token contains it. */
import type { Express } from 'express';
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
