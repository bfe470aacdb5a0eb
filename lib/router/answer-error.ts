/**
 * The one place where errors become answers: `{"error", "code", "hints"?, "position"?}`. It tells users what they can act on;
 * anything else is our bug, a 500 with an id under which the log has the details.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ErrorCode, type ErrorData, AppError, codeOfDisk, ERROR_STATUS } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { sendJson } from './http/answer.ts';
import { asksFirst, isOfLines } from './http/body.ts';
import { RateLimited, setRateHeaders, setStanding } from './limits/rate-limit.ts';
import type { RouterContext } from './context.ts';
import { randomBytes } from 'node:crypto';

/** Seconds after which a client may retry: for every 429, and for a store that has no room. */
export const RETRY_AFTER_SECONDS = 60;

/** Where a sender of lines may go on if none was read. */
const UNREAD = { accepted: 0, line: 0 };

/** Answers that refuse valid requests, counted by reason. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 413, 429, 503]);

interface Wrong {
  readonly error: unknown;
  /** Where bugs and refusals are reported. */
  readonly context: Pick<RouterContext, 'log' | 'security' | 'metrics' | 'webhooks' | 'load'>;
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly send?: (status: number, data: ErrorData) => void;
}

/**
 * Answers an error, whatever was thrown. `extra`: further fields of the body; `send`: answers instead of JSON, after the headers
 * are set. Never throws.
 */
export function answerError(
  request: IncomingMessage,
  response: ServerResponse,
  { error, context, extra, send }: Wrong,
): void {
  const data = noteError(request, error, context);
  if (response.headersSent) {
    response.destroy(); // the status was sent: only a broken body can tell the client
    return;
  }
  if (ERROR_STATUS[data.code] === 429) setWaitHeaders(response, error);
  setHeaders(response, data.code);
  discardBody(request, response);
  if (send !== undefined) return send(ERROR_STATUS[data.code], data);
  sendJson(response, ERROR_STATUS[data.code], {
    ...errorBody(data),
    ...(extra ?? (isOfLines(request) ? UNREAD : {})),
  });
}

/** Reports an error where bugs and refusals are, and describes it for whoever asked. Never throws. */
export function noteError(request: IncomingMessage, error: unknown, context: Wrong['context']): ErrorData {
  const data = describe(error) ?? reportBug(request, error, context.log);
  if (data.cause !== undefined) context.log.error({ cause: data.cause, request: requestId(request) }, data.message);
  context.security.answered(request, data.code);
  context.webhooks?.trouble(error, context.load.projectOf(request));
  if (REFUSALS.has(ERROR_STATUS[data.code])) context.metrics.refused(data.code);
  return data;
}

/** An error as clients read it. */
export function errorBody(data: ErrorData): Readonly<Record<string, unknown>> {
  const { code, message, position, field, hints, events, resetsAt } = data;
  return {
    error: message,
    code,
    ...(position === undefined ? {} : { position }),
    ...(field === undefined ? {} : { field }),
    ...(events === undefined ? {} : { events }),
    ...(resetsAt === undefined ? {} : { resets_at: resetsAt }),
    ...(hints === undefined || hints.length === 0 ? {} : { hints }),
  };
}

/** The error as data if a user can act on it: an AppError, or a request that the framework could not read. */
function describe(error: unknown): ErrorData | null {
  if (error instanceof AppError) return error.data;
  if (error instanceof URIError) return BROKEN_PATH;
  const onDisk = codeOfDisk(error);
  if (onDisk !== null) return diskTrouble(onDisk, error);
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return null;
  const code = CODE_OF_STATUS.get(error.status);
  return code === undefined ? null : { code, message: `The request could not be read: ${error.message}.` };
}

/** Of any file that a request needs, besides those of which it is known. */
const diskTrouble = (code: string, error: unknown): ErrorData => ({
  code: 'storage_unavailable',
  message: `the server cannot use its disk at the moment (${code})`,
  hints: ['Send the same request again later.'],
  cause: error instanceof Error ? (error.stack ?? error.message) : String(error),
});

/** It does not repeat the part that is wrong, which may be the id of a user. */
const BROKEN_PATH: ErrorData = {
  code: 'bad_request',
  message: 'The path has a percent sign that begins no escape of UTF-8.',
  hints: ['Encode ids in a path: 100% is 100%25, a/b is a%2Fb, é is %C3%A9.'],
};

/** Statuses of express's own errors. */
const CODE_OF_STATUS: ReadonlyMap<number, ErrorCode> = new Map([
  [400, 'bad_request'],
  [404, 'not_found'],
  [413, 'payload_too_large'],
]);

function reportBug(request: IncomingMessage, error: unknown, log: Log): ErrorData {
  const id = requestId(request);
  log.error({ err: error, request: id }, 'a request failed');
  return {
    code: 'internal',
    message: `Something broke on our side (id ${id}).`,
    hints: ["The server's log has the details under this id."],
  };
}

/** What a 429 says of when to come back: the same in all its headers. */
function setWaitHeaders(response: ServerResponse, error: unknown): void {
  const refused = { left: 0, reset: RETRY_AFTER_SECONDS };
  response.setHeader('Retry-After', RETRY_AFTER_SECONDS);
  if (error instanceof RateLimited) setRateHeaders(response, { ...error.exceeded, ...refused });
  else setStanding(response, { name: 'requests', ...refused });
}

function setHeaders(response: ServerResponse, code: ErrorCode): void {
  if (ERROR_STATUS[code] === 401) {
    response.setHeader('WWW-Authenticate', 'ApiKey realm="windlass", header="X-API-Key"');
  } else if (code === 'storage_unavailable' || code === 'shutting_down') {
    response.setHeader('Retry-After', RETRY_AFTER_SECONDS);
  }
}

/**
 * Reads the rest of a body. Closing at once would reset the connection, and the client, still sending, would never read why. A
 * client that waits for "100 Continue" has sent nothing, and its connection cannot be reused.
 */
function discardBody(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete) return;
  if (asksFirst(request) && !request.readableDidRead) {
    response.setHeader('Connection', 'close');
    return;
  }
  if (!response.shouldKeepAlive) closeAfterBody(request, response);
  request.removeAllListeners('data');
  request.resume();
  // How long an answered client may go on sending an unwanted body; it reads the answer only after sending it.
  const timer = setTimeout(() => request.destroy(), 10_000).unref();
  request.once('close', () => clearTimeout(timer));
}

/** Node would close a connection that is not to be kept together with the answer. */
function closeAfterBody(request: IncomingMessage, response: ServerResponse): void {
  response.removeHeader('Connection');
  response.shouldKeepAlive = true;
  const close = (): void => request.socket.destroySoon();
  request.once('close', () => {
    if (response.writableFinished) close();
    else response.once('finish', close);
  });
}

const ids = new WeakMap<IncomingMessage, string>();
const process = randomBytes(4).toString('hex'); // distinguishes this run from earlier ones
let made = 0;

/** The id of a request: constant for its whole life, unique in the log. */
export function requestId(request: IncomingMessage): string {
  const known = ids.get(request);
  if (known !== undefined) return known;
  const id = `${process}-${(++made).toString(36)}`;
  ids.set(request, id);
  return id;
}
