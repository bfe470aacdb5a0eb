// Requests to this host's API, with this browser's session.

import { keepFragment } from './fragment.js';
import { readJson } from './read-json.js';

/** An error as the API reports it. */
export class ApiError extends Error {
  /**
   * @param {string} message
   * @param {readonly string[]} hints What to do.
   * @param {{ position?: number | null, field?: string | null, events?: number | null, status?: number | null }} [more] `position`: of
   *   a mistake in a query, UTF-16 units; `field`: of the body, that is wrong; `events`: stored ones that the request would remove, if
   *   it only lacks a confirmation; `status`: of the answer.
   */
  constructor(message, hints, { position = null, field = null, events = null, status = null } = {}) {
    super(message);
    this.name = 'ApiError';
    this.hints = hints;
    this.position = position;
    this.field = field;
    this.events = events;
    this.status = status;
  }
}

/**
 * Sends a JSON body and resolves with the JSON object of the answer; rejects with ApiError. Without a session it opens the login,
 * which leads back here.
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @param {Readonly<Record<string, string>>} [headers]
 * @returns {Promise<unknown>}
 */
export async function call(method, path, body, headers = {}) {
  const response = await send(method, path, { body, headers });
  return readJson(await response.text());
}

/**
 * The same for an answer that may not be JSON, or with a text for a body. An aborted `signal` rejects with its reason.
 * @param {string} method
 * @param {string} path
 * @param {{ body?: unknown, text?: string, headers?: Readonly<Record<string, string>>, signal?: AbortSignal }} request
 * @returns {Promise<Response>}
 */
export async function send(method, path, { body, text, headers = {}, signal }) {
  const sent =
    body === undefined
      ? { headers, ...(text === undefined ? {} : { body: text }) }
      : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json', ...headers } };
  const response = await fetch(path, { method, ...sent, ...(signal === undefined ? {} : { signal }) }).catch(
    (/** @type {unknown} */ error) => {
      const isTooLate = error instanceof DOMException && error.name === 'TimeoutError';
      if (!isTooLate) signal?.throwIfAborted();
      throw new ApiError('The server does not respond.', ['Check your connection and try again.']);
    },
  );
  if (response.ok) return response;
  if (response.status === 401 && path.startsWith('/api/')) {
    keepFragment(location.pathname + location.search);
    location.assign(`/login?return_to=${encodeURIComponent(location.pathname + location.search)}`);
  }
  /** @type {unknown} */
  const answer = await response
    .text()
    .then(readJson)
    .catch(() => null);
  throw new ApiError(textField(answer, 'error') ?? `The server answered ${response.status}.`, hintsOf(answer), {
    position: numberField(answer, 'position'),
    field: textField(answer, 'field'),
    events: numberField(answer, 'events'),
    status: response.status,
  });
}

/**
 * The JSON of an answer. Page and server have the same version, so it is enough to check of which kind it is; rejects with ApiError
 * for another one.
 * @template T
 * @param {Response} response
 * @param {(value: unknown) => value is T} isWanted
 * @returns {Promise<T>}
 */
export async function answerOf(response, isWanted) {
  /** @type {unknown} */
  const answer = await response
    .text()
    .then(readJson)
    .catch(() => null);
  if (isWanted(answer)) return answer;
  throw new ApiError('The server sent an unexpected answer.', ['Reload the page: it may be older than the server.']);
}

/**
 * A text field of an object.
 * @param {unknown} value
 * @param {string} name
 * @returns {string | null}
 */
export function textField(value, name) {
  if (typeof value !== 'object' || value === null) return null;
  /** @type {unknown} */
  const field = Reflect.get(value, name);
  return typeof field === 'string' ? field : null;
}

/**
 * @param {unknown} answer
 * @returns {readonly string[]}
 */
function hintsOf(answer) {
  if (typeof answer !== 'object' || answer === null || !('hints' in answer) || !Array.isArray(answer.hints)) return [];
  return answer.hints.filter((/** @type {unknown} */ hint) => typeof hint === 'string');
}

/**
 * @param {unknown} answer
 * @param {string} name
 * @returns {number | null}
 */
function numberField(answer, name) {
  if (typeof answer !== 'object' || answer === null) return null;
  /** @type {unknown} */
  const field = Reflect.get(answer, name);
  return typeof field === 'number' ? field : null;
}
