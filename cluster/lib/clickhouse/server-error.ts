/** What ClickHouse, or the way to it, refuses → what the service answers. */
import { ClickHouseError } from '@clickhouse/client';
import { AppError, codeOf, type ErrorData } from '../../../lib/seam.ts';

/** Types of errors that a smaller question avoids. */
const TOO_LARGE: ReadonlySet<string> = new Set(['MEMORY_LIMIT_EXCEEDED', 'TOO_MANY_ROWS', 'TOO_MANY_BYTES', 'TOO_MANY_ROWS_OR_BYTES', 'TOO_MANY_COLUMNS', 'TOO_DEEP_RECURSION']); // prettier-ignore

/** Those that mean the statement was given no more time. */
const TOO_SLOW: ReadonlySet<string> = new Set(['TIMEOUT_EXCEEDED', 'TOO_SLOW']);

/** Somebody killed the statement: the operator, or another node that erases what it reads. */
const CANCELED = 'QUERY_WAS_CANCELLED';

/** Those that pass when there is less to do. */
const TOO_MUCH: ReadonlySet<string> = new Set(['TOO_MANY_PARTS', 'TOO_MANY_SIMULTANEOUS_QUERIES', 'TOO_MANY_UNFINISHED_QUERIES', 'QUOTA_EXCEEDED', 'USER_SESSION_LIMIT_EXCEEDED']); // prettier-ignore

/** Those that end when the operator has done something. */
const NOT_SET_UP: ReadonlySet<string> = new Set(['AUTHENTICATION_FAILED', 'REQUIRED_PASSWORD', 'WRONG_PASSWORD', 'UNKNOWN_USER', 'ACCESS_DENIED', 'READONLY', 'SETTING_CONSTRAINT_VIOLATION', 'UNKNOWN_SETTING', 'UNKNOWN_DATABASE', 'UNKNOWN_TABLE', 'NO_SUCH_COLUMN_IN_TABLE', 'UNKNOWN_IDENTIFIER_IN_TABLE', 'TABLE_IS_READ_ONLY']); // prettier-ignore

/** Those of a cluster, or of the machine and disk of a server, in trouble. */
const UNWELL: ReadonlySet<string> = new Set(['NOT_ENOUGH_SPACE', 'CANNOT_WRITE_TO_FILE_DESCRIPTOR', 'CANNOT_OPEN_FILE', 'CANNOT_CREATE_DIRECTORY', 'CANNOT_FSYNC', 'CANNOT_READ_FROM_FILE_DESCRIPTOR', 'S3_ERROR', 'CANNOT_ALLOCATE_MEMORY', 'CANNOT_SCHEDULE_TASK', 'SERVER_OVERLOADED', 'STD_EXCEPTION', 'POCO_EXCEPTION', 'NETWORK_ERROR', 'SOCKET_TIMEOUT', 'ALL_CONNECTION_TRIES_FAILED', 'ALL_REPLICAS_ARE_STALE', 'NO_ZOOKEEPER', 'KEEPER_EXCEPTION', 'TOO_FEW_LIVE_REPLICAS', 'UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE', 'UNKNOWN_STATUS_OF_INSERT', 'ABORTED']); // prettier-ignore

/** An insert came after the node's turn (`throwIf`): the same request in a new turn is fine. */
const TOO_LATE = 'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO';

/** ClickHouse, or the way to it, is of no use at the moment, for whatever project. */
export class ClickHouseAway extends AppError {
  constructor(message: string, extra: Pick<ErrorData, 'cause' | 'hints'>) {
    super('storage_unavailable', message, extra);
  }
}

/** The error to throw for one of the client. One that is a bug of ours keeps no text that a tenant may have sent. */
export function serverError(error: unknown): Error {
  if (!(error instanceof ClickHouseError)) return unreachableServer(error);
  const type = error.type ?? '';
  const cause = `${type} (${error.code})`;
  if (TOO_LARGE.has(type)) {
    return new AppError('query_too_large', 'The query needs more memory than one query may use.', {
      hints: ['Ask for a shorter time range, fewer groups, or fewer distinct values.'],
      cause,
    });
  }
  if (TOO_SLOW.has(type)) return new AppError('query_timeout', 'The query took too long and was stopped.', { cause });
  if (type === CANCELED) return new AppError('overloaded', 'The query was canceled. Try again.', { cause });
  if (TOO_MUCH.has(type)) {
    return new AppError('overloaded', 'ClickHouse is overloaded at the moment. Try again shortly.', { cause });
  }
  if (NOT_SET_UP.has(type)) {
    return new ClickHouseAway('The event store is not set up for this service.', {
      hints: ["The server's log says what ClickHouse refused."],
      cause: `${cause}: check the user, its rights and the tables with \`wl admin cluster init\``,
    });
  }
  if (type === TOO_LATE) {
    return new AppError('storage_unavailable', 'The event store is too slow at the moment. Try again shortly.', {
      cause: `the turn of the node was over: ${cause}`,
    });
  }
  if (UNWELL.has(type)) return unavailable(cause);
  return new Error(`ClickHouse refused a statement: ${cause}: ${withoutTexts(error.message)}`);
}

/** Whether nothing of a failed statement is running: ClickHouse said so, or never heard of it. */
export function isOver(error: unknown): boolean {
  return !(error instanceof AppError && error.data.code === 'storage_unavailable') || isNobodyThere(error);
}

function unreachableServer(error: unknown): Error {
  if (error instanceof AppError) return error;
  const code = codeOf(error);
  return unavailable(code === '' && error instanceof Error ? withoutTexts(error.message) : code);
}

/**
 * The error for who sends events, and asked no query: of a search for ids or an insert that was stopped. No request is too large for
 * a server's memory because of what is in it: it is sent again.
 */
export function forSender(error: unknown): unknown {
  if (!(error instanceof AppError) || !OF_STATEMENTS.has(error.data.code)) return error;
  return new ClickHouseAway('The event store is too slow at the moment. Try again shortly.', {
    cause: `ClickHouse stopped a statement: ${error.data.cause ?? ''}`,
  });
}

/** What `serverError` makes of a statement that ClickHouse stopped or did not begin. */
const OF_STATEMENTS: ReadonlySet<string> = new Set(['query_timeout', 'query_too_large', 'overloaded']);

/** Whether nobody listened: what was to be said is not known to any server. */
export function isNobodyThere(error: AppError): boolean {
  return /(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/.test(error.data.cause ?? '');
}

function unavailable(cause: string): AppError {
  return new ClickHouseAway('The event store cannot be reached at the moment. Try again shortly.', {
    cause: `ClickHouse: ${cause}`,
  });
}

function withoutTexts(message: string): string {
  // A message without what stands in quotes. Units of a message that are kept: it may quote a whole statement.
  return message.replaceAll(/'(?:[^'\\]|\\.)*'/g, "'…'").slice(0, 500);
}
