/** Which entries of the audit trail somebody asks for, over the API or on its page. */
import { DAY_MS, isDay } from '../base/day.ts';
import { AppError } from '../base/errors.ts';
import type { AuditFilter } from '../control/audit.ts';
import { MAX_PAGE } from '../control/storage/connection.ts';
import { AUDIT_ACTIONS, type AuditAction } from '../control/types.ts';
import { onlyParameter } from './http/query-string.ts';
import { shownField } from './route/json-body.ts';
import { limitOf } from './route/paged.ts';

/** Kinds of things, as actions begin: `key` of `key.rotate`. */
export const AUDIT_KINDS = [...new Set(AUDIT_ACTIONS.map((action) => action.split('.')[0] ?? action))];

/** The filter that a query string asks for. Throws AppError 400 for an invalid value. */
export function auditFilter(parameters: URLSearchParams): AuditFilter {
  const [from, to, limit, cursor, actor, action] = ['from', 'to', 'limit', 'cursor', 'actor', 'action'].map((name) =>
    onlyParameter(parameters, name),
  );
  const first = from === undefined ? null : moment('from', from);
  const last = to === undefined ? null : moment('to', to);
  if (first !== null && last !== null && first.start > last.start && first.start >= last.end) {
    throw new AppError('bad_request', `from (${from}) is after to (${to})`);
  }
  return {
    ...(first === null ? {} : { from: first.start }),
    ...(last === null ? {} : { to: last.end }),
    ...(limit === undefined ? {} : { limit: limitOf(parameters, MAX_PAGE) }),
    ...(cursor === undefined ? {} : { cursor: checkCursor(cursor) }),
    ...(actor === undefined ? {} : { actor }),
    ...(action === undefined ? {} : { actions: actionsOf(action) }),
  };
}

function actionsOf(asked: string): readonly AuditAction[] {
  const actions = AUDIT_ACTIONS.filter((action) => action === asked || action.startsWith(`${asked}.`));
  if (actions.length > 0) return actions;
  throw new AppError('bad_request', `There is no action ${shownField(asked)}.`, {
    hints: [`Actions begin with ${AUDIT_KINDS.join(', ')}; ${AUDIT_ACTIONS[1]} is one.`],
  });
}

const DATE = /^\d{4}-\d\d-\d\d$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** A day (UTC) from its start to its end, or an instant. */
function moment(name: string, text: string): { start: number; end: number } {
  const time = DATE.test(text) || INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time) || !isDay(text.slice(0, 'YYYY-MM-DD'.length))) {
    throw new AppError('bad_request', `${name} must be a date (YYYY-MM-DD) or a time such as 2026-01-31T12:00:00Z`);
  }
  return { start: time, end: DATE.test(text) ? time + DAY_MS : time };
}

function checkCursor(text: string): string {
  if (/^\d{1,15}$/.test(text)) return text;
  throw new AppError('bad_request', 'cursor must be the X-Next-Cursor of the page before');
}
