// Requests to the API of this host, with the session of this browser.

/** An error as the API answers it: a message, and what to do next. */
export class ApiError extends Error {
  /**
   * @param {string} message
   * @param {readonly string[]} hints
   */
  constructor(message, hints) {
    super(message);
    this.name = 'ApiError';
    this.hints = hints;
  }
}

/**
 * Sends a JSON body and resolves with the JSON object of the answer; rejects with ApiError. Without a session it goes to the
 * login, and comes back here from there.
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @param {Readonly<Record<string, string>>} [headers]
 * @returns {Promise<unknown>}
 */
export async function call(method, path, body, headers = {}) {
  const sent =
    body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json', ...headers } };
  const response = await fetch(path, { method, headers, ...sent }).catch(() => {
    throw new ApiError('The host does not answer.', ['Look at your connection and try again.']);
  });
  /** @type {unknown} */
  const answer = await response.json().catch(() => null);
  if (response.ok) return answer;
  if (response.status === 401 && path.startsWith('/api/')) {
    location.assign(`/login?return_to=${encodeURIComponent(location.pathname + location.search)}`);
  }
  throw new ApiError(textField(answer, 'error') ?? `The host answered ${response.status}.`, hintsOf(answer));
}

/**
 * A field of an object that is a text.
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
