/** Usage, as requests to the management APIs ask for it. */
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { parseUsageRange, type UsageRange } from '../../control/usage/usage-range.ts';
import type { RouterContext } from '../context.ts';
import { onlyParameter, queryParameters } from '../http/query-string.ts';
import type { Door } from './doors.ts';
import { AppError } from '../../base/errors.ts';
import { JSON_TYPE, sendWritten } from '../http/answer.ts';
import { CSV_TYPE, usageCsv, usageJson } from './usage-text.ts';

/** The days that `from` and `to` of a request ask for. Throws AppError 400. */
export function usageRange(request: IncomingMessage): UsageRange {
  const parameters = queryParameters(request);
  return parseUsageRange({ from: onlyParameter(parameters, 'from'), to: onlyParameter(parameters, 'to') }, Date.now());
}

/** GET /api/admin/usage: the daily usage of every project of the organization and the cost of its months, as JSON or CSV. */
export function organizationUsage({ control }: RouterContext, door: Door): RequestHandler {
  return async (request, response) => {
    const { orgId } = await door.organization(request, 'look');
    const format = onlyParameter(queryParameters(request), 'format') ?? 'json';
    if (format !== 'json' && format !== 'csv') throw new AppError('bad_request', 'format must be json or csv');
    const range = usageRange(request);
    const days = await control.operator.usageByProject(orgId, range);
    const months = await control.usage.monthsOfOrg(orgId, range);
    if (format === 'json') return sendWritten(response, JSON_TYPE, usageJson(days, months));
    return sendWritten(response, CSV_TYPE, usageCsv(days, months, control.operator.price));
  };
}
