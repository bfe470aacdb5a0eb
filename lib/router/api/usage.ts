/** Usage, as requests to the management APIs ask for it. */
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { parseUsageRange, type UsageRange } from '../../control/usage/usage-range.ts';
import type { RouterContext } from '../context.ts';
import { onlyParameter, queryParameters } from '../http/query-string.ts';
import type { Door } from './doors.ts';
import { billColumns, billFields, type Price } from '../../control/usage/price.ts';
import { DAY_COUNTERS, type ProjectDay } from '../../control/operator/operator.ts';
import type { UsageMonth } from '../../control/types.ts';
import { csvText } from '../../base/text/csv-text.ts';
import { AppError } from '../../base/errors.ts';
import { sendJson, sendText } from '../http/answer.ts';

/** The days that `from` and `to` of a request ask for. Throws AppError 400. */
export function usageRange(request: IncomingMessage): UsageRange {
  const parameters = queryParameters(request);
  return parseUsageRange({ from: onlyParameter(parameters, 'from'), to: onlyParameter(parameters, 'to') }, Date.now());
}

/** GET /api/admin/usage: the daily usage of every project of the organization and the cost of its months, as JSON or CSV. */
const CSV_TYPE = 'text/csv; charset=utf-8';

export function organizationUsage({ control }: RouterContext, door: Door): RequestHandler {
  return async (request, response) => {
    const { orgId } = await door.organization(request, 'look');
    const format = onlyParameter(queryParameters(request), 'format') ?? 'json';
    if (format !== 'json' && format !== 'csv') throw new AppError('bad_request', 'format must be json or csv');
    const range = usageRange(request);
    const days = await control.operator.usageByProject(orgId, range);
    const { months } = await control.usage.ofOrg(orgId, range);
    if (format === 'json') return sendJson(response, 200, { days, months });
    sendText(response, 200, CSV_TYPE, `${csvOf(days, months, control.operator.price)}\r\n`);
  };
}

/** A line for each project and day, then one for each month with the bill: free events are the organization's. */
function csvOf(days: readonly ProjectDay[], months: readonly UsageMonth[], price: Price | null): string {
  const bill = billColumns(price);
  const head = ['date', 'project_id', 'project_name', ...DAY_COUNTERS, ...bill];
  const dayLines = days.map((day) => [
    ...[day.date, day.project_id, day.project_name],
    ...DAY_COUNTERS.map((name) => day[name]),
    ...bill.map(() => null),
  ]);
  const monthLines = months.map((month) => [
    ...[month.month, null, null],
    ...DAY_COUNTERS.map((name) => (name === 'events_stored' ? month.events_stored : null)),
    ...Object.values(billFields(month.events_stored, price)),
  ]);
  return csvText(head, [...dayLines, ...monthLines]);
}
