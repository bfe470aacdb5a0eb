/** Queries over HTTP. */
import { WindlassError } from './errors.ts';
import { readJson } from './read-json.ts';

export interface QueryOptions {
  /** Most rows of the answer, 1 to 10,000; 100 by default. */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  /** An IANA time zone, for buckets and ranges. */
  readonly timezone?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** `llm` is Markdown. */
export type TextFormat = 'llm' | 'csv';

/** Where queries go, and how. */
export interface Asking {
  readonly host: string;
  readonly key: string;
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
}

/** Most rows per page. */
const LARGEST_PAGE = 10_000;

/** The rows of an answer. Rejects with WindlassError, or with the reason of the signal. */
export async function queryRows<Row>(asking: Asking, q: string, options: QueryOptions = {}): Promise<Row[]> {
  const rows = parsed(await ask(asking, { q, format: 'json' }, options));
  if (!Array.isArray(rows)) throw new WindlassError('The answer has no rows', { trouble: 'query', status: 200 });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the caller knows what it asks for
  return rows as Row[];
}

export function queryText(asking: Asking, q: string, options: QueryOptions & { format: TextFormat }): Promise<string> {
  return ask(asking, { q, format: options.format }, options);
}

/** Page after page, until there are no more rows. `limit` is per page. */
export async function* queryPages<Row>(asking: Asking, q: string, options: QueryOptions = {}): AsyncGenerator<Row[]> {
  const limit = options.limit ?? LARGEST_PAGE;
  for (let offset = options.offset ?? 0; ; offset += limit) {
    const rows = await queryRows<Row>(asking, q, { ...options, limit, offset });
    if (rows.length > 0) yield rows;
    if (rows.length < limit) return;
  }
}

async function ask(
  { host, key, fetch, timeoutMs }: Asking,
  question: { q: string; format: string },
  { limit, offset, timezone, signal }: QueryOptions,
): Promise<string> {
  const ending = new AbortController();
  const leave = [signal, AbortSignal.timeout(timeoutMs)].map((one) => follow(one, ending));
  const body = JSON.stringify({ ...question, limit, offset, timezone });
  let response: Response;
  let text: string;
  try {
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
    response = await fetch(`${host}/query`, { method: 'POST', headers, body, signal: ending.signal });
    text = await response.text();
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    throw new WindlassError('The server cannot be reached', { trouble: 'query', cause });
  } finally {
    for (const end of leave) end();
  }
  if (response.ok) return text;
  throw errorOf(response.status, text);
}

/**
 * Ends with the signal; returns what stops that: a program may use one signal for many queries. Node 18 has no AbortSignal.any.
 */
function follow(signal: AbortSignal | undefined, ending: AbortController): () => void {
  const end = (): void => ending.abort(signal?.reason);
  if (signal?.aborted) end();
  signal?.addEventListener('abort', end, { once: true });
  return () => signal?.removeEventListener('abort', end);
}

/** Undefined if it is not JSON. */
function parsed(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

function errorOf(status: number, text: string): WindlassError {
  const body = parsed(text);
  const fields: Record<string, unknown> = typeof body === 'object' && body !== null ? { ...body } : {};
  const { error, code, hints, position } = fields;
  return new WindlassError(typeof error === 'string' ? error : `The server answered ${status}`, {
    trouble: 'query',
    status,
    code: typeof code === 'string' ? code : undefined,
    hints: Array.isArray(hints) ? hints.map(String) : [],
    position: typeof position === 'number' ? position : undefined,
  });
}
