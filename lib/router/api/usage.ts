/** Usage, as requests to the management APIs ask for it. */
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { parseUsageRange, type UsageRange } from '../../control/usage/usage-range.ts';
import type { RouterContext } from '../context.ts';
import { onlyParameter, queryParameters } from '../http/query-string.ts';
import type { Door } from './doors.ts';
import { AppError } from '../../base/errors.ts';
import { JSON_TYPE, sendWritten } from '../http/answer.ts';
import { csvLine } from '../../base/text/csv-text.ts';
import { DAY_COUNTERS, type ProjectDay } from '../../control/operator/operator.ts';
import type { UsageMonth } from '../../control/types.ts';
import { billColumns, billFields, type Price } from '../../control/usage/price.ts';

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

const CSV_TYPE = 'text/csv; charset=utf-8';

/** Lines of a piece, about a millisecond of work: usage may have 100,000, and the event loop writes them. */
export const PIECE_LINES = 500;

/** `{"days":[…],"months":[…]}`, as JSON.stringify writes it. */
export function* usageJson(days: readonly ProjectDay[], months: readonly UsageMonth[]): Generator<string> {
  yield '{"days":[';
  for (let at = 0; at < days.length; at += PIECE_LINES) {
    const lines = JSON.stringify(days.slice(at, at + PIECE_LINES)).slice(1, -1);
    yield at === 0 ? lines : `,${lines}`;
  }
  yield `],"months":${JSON.stringify(months)}}`;
}

/** A line for each project and day, then one for each month with the bill: free events are the organization's. */
export function* usageCsv(
  days: readonly ProjectDay[],
  months: readonly UsageMonth[],
  price: Price | null,
): Generator<string> {
  const bill = billColumns(price);
  const noBill = bill.map(() => null);
  yield text([['date', 'project_id', 'project_name', ...DAY_COUNTERS, ...bill]]);
  for (let at = 0; at < days.length; at += PIECE_LINES) {
    yield text(
      days
        .slice(at, at + PIECE_LINES)
        .map((day) => [
          day.date,
          day.project_id,
          day.project_name,
          ...DAY_COUNTERS.map((name) => day[name]),
          ...noBill,
        ]),
    );
  }
  yield text(
    months.map((month) => [
      ...[month.month, null, null],
      ...DAY_COUNTERS.map((name) => (name === 'events_stored' ? month.events_stored : null)),
      ...Object.values(billFields(month.events_stored, price)),
    ]),
  );
}

function text(rows: readonly (readonly (string | number | null)[])[]): string {
  return rows.map((row) => `${csvLine(row)}\r\n`).join('');
}
