/** Usage of organizations, as requests to the management APIs ask for it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseUsageRange, type UsageRange } from '../../control/usage/usage-range.ts';
import type { RouterContext } from '../context.ts';
import { onlyParameter, queryParameters } from '../http/query-string.ts';
import { AppError } from '../../base/errors.ts';
import { CSV_TYPE, JSON_TYPE, sendWritten } from '../http/answer.ts';
import { csvLine } from '../../base/text/csv-text.ts';
import { DAY_COUNTERS, type ProjectDay } from '../../control/operator/operator.ts';
import type { UsageMonth } from '../../control/types.ts';
import { billColumns, billFields, type Price } from '../../control/usage/price.ts';
import { monthColumns, monthJson, monthLines } from '../../control/operator/month-report.ts';
import { managed } from '../route/managed.ts';
import type { Routes } from '../route/route.ts';
import {
  component,
  NATURAL,
  DATE,
  DAYS,
  json,
  list,
  parameter,
  PROJECT,
  ANY_STRING,
  STRING_OR_NULL,
  objectOf,
} from '../route/schema.ts';
import { ADMIN, admitMember, admitOperator, type Door, OPERATOR, SESSION } from './doors.ts';
import { USAGE_ROW } from './schemas.ts';

const AMOUNT = { type: 'number', minimum: 0 };

const MONTH = component('UsageMonth', {
  type: 'object',
  required: ['month', 'events_stored'],
  description: 'A whole UTC month. Hosts without a price send no bill: neither `billable_events` nor an amount.',
  properties: {
    month: { type: 'string', pattern: '^\\d{4}-\\d\\d$' },
    events_stored: NATURAL,
    billable_events: {
      ...NATURAL,
      description: 'Events beyond the free ones: 10 million, unless the host sets another number.',
    },
    amount_usd: { ...AMOUNT, description: 'Where the host bills in dollars: 5 a million by default, not rounded.' },
  },
  patternProperties: {
    '^amount_(?!usd$)[a-z]{3}$': { ...AMOUNT, description: 'The same in the currency of the host: `amount_eur`.' },
  },
});

const BY_PROJECT = component(
  'UsageByProject',
  objectOf({
    days: list(
      objectOf({
        date: DATE,
        project_id: PROJECT,
        project_name: { ...STRING_OR_NULL, description: 'null: it was deleted.' },
        ...Object.fromEntries(DAY_COUNTERS.map((name) => [name, NATURAL])),
      }),
    ),
    months: list(MONTH),
  }),
);

const FORMAT = parameter('format', 'JSON, or lines of CSV.', { enum: ['json', 'csv'], default: 'json' });

export const USAGE_ROUTES: Routes = {
  '/api/orgs/{orgID}/usage': {
    get: managed(
      SESSION,
      'getOrganizationUsage',
      'Usage of all projects together, including deleted ones, and the monthly bills.',
      {
        admit: admitMember('read', 'viewer'),
        parameters: DAYS,
        ok: json(
          'Days and months (UTC).',
          component('OrganizationUsage', objectOf({ days: list(USAGE_ROW), months: list(MONTH) })),
        ),
        answer: ({ control }, { organization }, request) => control.usage.ofOrg(organization.id, usageRange(request)),
      },
    ),
  },
  '/api/admin/usage': { get: usageByProject(ADMIN, 'getAdminUsage') },
  '/operator/usage': {
    get: managed(OPERATOR, 'getHostUsage', 'Usage and bills of a month (UTC), of every organization and project, including deleted ones.', {
      admit: admitOperator,
      parameters: [parameter('month', 'YYYY-MM; defaults to this one.', { type: 'string', pattern: '^\\d{4}-\\d\\d$' }), FORMAT],
      ok: {
        description: 'An organization with its projects; in CSV a line for each of them.',
        content: { 'application/json': { schema: list({ type: 'object', additionalProperties: true }) }, 'text/csv': { schema: ANY_STRING } },
      },
      answer: ({ control }, _by, request, response) => sendMonth(control, request, response),
    }),
  }, // prettier-ignore
  '/operator/orgs/{orgID}/usage': { get: usageByProject(OPERATOR, 'getOperatorUsage') },
};

function usageByProject(door: Door, id: string) {
  const summary = 'Daily usage (UTC) of each project, including deleted ones, and the monthly bills.';
  return managed(door, id, summary, {
    admit: door.organization('look'),
    parameters: [...DAYS, FORMAT],
    ok: {
      description: 'A row per project and active day, and the months.',
      content: { 'application/json': { schema: BY_PROJECT }, 'text/csv': { schema: ANY_STRING } },
    },
    answer: ({ control }, { orgId }, request, response) => sendUsage(control, orgId, request, response),
  });
}

/** The days that `from` and `to` of a request ask for. Throws AppError 400. */
export function usageRange(request: IncomingMessage): UsageRange {
  const parameters = queryParameters(request);
  return parseUsageRange({ from: onlyParameter(parameters, 'from'), to: onlyParameter(parameters, 'to') }, Date.now());
}

/** The daily usage of every project of the organization and the cost of its months, as JSON or CSV. */
async function sendUsage(
  control: RouterContext['control'],
  orgId: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const format = formatOf(request);
  const range = usageRange(request);
  const days = await control.operator.usageByProject(orgId, range);
  const months = await control.usage.monthsOfOrg(orgId, range);
  if (format === 'json') return sendWritten(response, JSON_TYPE, usageJson(days, months));
  return sendWritten(response, CSV_TYPE, usageCsv(days, months, control.operator.price));
}

/** The usage of all organizations in a month, as JSON or CSV. */
async function sendMonth(
  { operator }: RouterContext['control'],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const month = onlyParameter(queryParameters(request), 'month') ?? new Date().toISOString().slice(0, 'YYYY-MM'.length);
  const format = formatOf(request);
  const organizations = await operator.usageOfMonth(month);
  const told = monthJson(month, organizations, operator.price);
  if (format === 'json') return sendWritten(response, JSON_TYPE, [JSON.stringify(told)]);
  const lines = [monthColumns(operator.price), ...monthLines(told)];
  return sendWritten(response, CSV_TYPE, pieces(lines));
}

/** Some lines at a time. */
function* pieces(lines: readonly (readonly (string | number | null)[])[]): Generator<string> {
  for (let at = 0; at < lines.length; at += PIECE_LINES) yield text(lines.slice(at, at + PIECE_LINES));
}

export function formatOf(request: IncomingMessage): 'json' | 'csv' {
  const format = onlyParameter(queryParameters(request), 'format') ?? 'json';
  if (format === 'json' || format === 'csv') return format;
  throw new AppError('bad_request', 'format must be json or csv');
}

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
