/** /api/sessions: lists and ends the sessions of an account, one for each browser. */
import type { Express, Request, RequestHandler } from 'express';
import { sessionJson } from '../../control/json.ts';
import { jsonHandler } from '../http/json-handler.ts';
import type { RouterContext } from '../context.ts';
import { addEndpoint } from '../endpoint.ts';
import { idParameter } from '../http/path-parameter.ts';
import { noSuch } from '../door.ts';
import { visitorOf } from './visitor.ts';

export function addSessionEndpoints(app: Express, context: RouterContext): void {
  addEndpoint(app, '/api/sessions', { methods: { get: listSessions(context), delete: endOthers(context) } });
  addEndpoint(app, '/api/sessions/:sessionID', { methods: { delete: endSession(context) } });
}

function listSessions(context: RouterContext): RequestHandler {
  const admit = (request: Request) => visitorOf(context, request, 'read');
  return jsonHandler(admit, async ({ account, sessionId }) =>
    (await context.control.sessions.list(account.id)).map((session) => sessionJson(session, session.id === sessionId)),
  );
}

/** The requesting session stays. */
function endOthers(context: RouterContext): RequestHandler {
  const admit = (request: Request) => visitorOf(context, request, 'change');
  return jsonHandler(admit, async ({ account, sessionId, by }, request) => {
    const ended = await context.control.sessions.endOthers(account.id, sessionId);
    context.security.sessionsEnded(request, by.name, ended);
    return { deleted: true, ended };
  });
}

/** The requesting one too: that is a logout. */
function endSession(context: RouterContext): RequestHandler {
  const admit = (request: Request) => visitorOf(context, request, 'change');
  return jsonHandler(admit, async ({ account, by }, request) => {
    const id = idParameter(request, 'sessionID');
    if (!(await context.control.sessions.endOne(account.id, id))) throw noSuch('session');
    context.security.sessionsEnded(request, by.name, 1);
    return { deleted: true, id };
  });
}
