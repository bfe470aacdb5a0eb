/** /api/sessions: the browsers in which an account is logged in, and their end. */
import type { Express, RequestHandler } from 'express';
import { sessionJson } from '../../control/json.ts';
import { sendJson } from '../http/answer.ts';
import type { RouterContext } from '../context.ts';
import { addEndpoint } from '../endpoint.ts';
import { pathParameter } from '../http/path-parameter.ts';
import { noSuch } from '../door.ts';
import { visitorOf } from './visitor.ts';

export function addSessionEndpoints(app: Express, context: RouterContext): void {
  addEndpoint(app, '/api/sessions', { methods: { get: listSessions(context), delete: endOthers(context) } });
  addEndpoint(app, '/api/sessions/:sessionID', { methods: { delete: endSession(context) } });
}

function listSessions(context: RouterContext): RequestHandler {
  return (request, response) => {
    const { account, sessionId } = visitorOf(context, request, 'read');
    const sessions = context.control.sessions.list(account.id);
    sendJson(response, 200, sessions.map((session) => sessionJson(session, session.id === sessionId))); // prettier-ignore
  };
}

/** The one that asks stays. */
function endOthers(context: RouterContext): RequestHandler {
  return (request, response) => {
    const { account, sessionId, by } = visitorOf(context, request, 'change');
    const ended = context.control.sessions.endOthers(account.id, sessionId);
    context.security.sessionsEnded(request, by.name, ended);
    sendJson(response, 200, { deleted: true, ended });
  };
}

/** The one that asks too: that is a logout. */
function endSession(context: RouterContext): RequestHandler {
  return (request, response) => {
    const { account, by } = visitorOf(context, request, 'change');
    const id = pathParameter(request, 'sessionID');
    if (!context.control.sessions.endOne(account.id, id)) throw noSuch('session');
    context.security.sessionsEnded(request, by.name, 1);
    sendJson(response, 200, { deleted: true, id });
  };
}
