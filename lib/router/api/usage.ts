/** Usage of a project: a row for every day. */
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { parseUsageRange, type UsageRange } from '../../control/usage/usage-range.ts';
import { jsonHandler } from '../http/json-handler.ts';
import type { RouterContext } from '../context.ts';
import { onlyParameter, queryParameters } from '../http/query-string.ts';
import { toProject, type Door } from '../door.ts';

export function projectUsage({ control }: RouterContext, door: Door): RequestHandler {
  return jsonHandler(toProject(door, 'look'), ({ project }, request) =>
    control.usage.ofProject(project.id, usageRange(request)),
  );
}

/** The days that `from` and `to` of a request ask for. Throws AppError 400. */
export function usageRange(request: IncomingMessage): UsageRange {
  const parameters = queryParameters(request);
  return parseUsageRange({ from: onlyParameter(parameters, 'from'), to: onlyParameter(parameters, 'to') }, Date.now());
}
