/** Queries from the console: the query itself, and the names that complete it. */
import type { Express, Request, RequestHandler } from 'express';
import { sendJson } from '../http/answer.ts';
import type { RouterContext } from '../context.ts';
import { projectRef } from '../auth/credentials.ts';
import { addEndpoint } from '../endpoint.ts';
import { answering, checkSwitchedOn } from '../query/query.ts';
import { checkSuspension } from '../limits/suspension.ts';
import type { Door } from './doors.ts';

/** Names of each kind: people mostly type the most frequent ones, and a page must load them all. */
export const MOST_NAMES = 1_000;

export function addQuestionEndpoints(app: Express, context: RouterContext, door: Door): void {
  const one = '/api/projects/:projectID';
  const ask = answering(context, async (request: Request) => (await door.project(request, 'ask')).project);
  addEndpoint(app, `${one}/query`, { methods: { post: ask } });
  addEndpoint(app, `${one}/names`, { methods: { get: names(context, door) } });
}

/** It reads the project's catalog, which is work for a writer, so it counts as a query of the minute. */
function names({ store, queryRate, config }: RouterContext, door: Door): RequestHandler {
  return async (request, response) => {
    const { project } = await door.project(request, 'look');
    checkSwitchedOn(config);
    checkSuspension(project, 'queries');
    queryRate.check(project);
    queryRate.add(project, 1);
    const { events, fields } = await store.catalog(projectRef(project));
    sendJson(response, 200, {
      events: events.slice(0, MOST_NAMES).map(({ name }) => name),
      fields: fields.slice(0, MOST_NAMES),
    });
  };
}
