/** Queries over HTTP. */
import { WindlassError } from './errors.ts';

export interface QueryOptions {
  /** Most rows of the answer, 1 to 10,000; 100 by default. */
  readonly limit?: number;
  readonly offset?: number;
  /** An IANA time zone, for buckets and ranges. */
  readonly timezone?: string;
  readonly signal?: AbortSignal;
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
  const response = await ask(asking, { q, format: 'json' }, options);
  const rows: unknown = await response.json();
  if (!Array.isArray(rows)) throw new WindlassError('The answer has no rows', { trouble: 'query', status: 200 });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the caller knows what it asks for
  return rows as Row[];
}

export async function queryText(
  asking: Asking,
  q: string,
  options: QueryOptions & { format: TextFormat },
): Promise<string> {
  return (await ask(asking, { q, format: options.format }, options)).text();
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
): Promise<Response> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const body = JSON.stringify({ ...question, limit, offset, timezone });
  let response: Response;
  try {
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
    response = await fetch(`${host}/query`, { method: 'POST', headers, body, signal: either(signal, timeout) });
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    throw new WindlassError('The server cannot be reached', { trouble: 'query', cause });
  }
  if (response.ok) return response;
  throw await errorOf(response);
}

/** Node 18 has no AbortSignal.any. */
function either(one: AbortSignal | undefined, other: AbortSignal): AbortSignal {
  if (one === undefined) return other;
  const both = new AbortController();
  for (const signal of [one, other]) {
    if (signal.aborted) both.abort(signal.reason);
    signal.addEventListener('abort', () => both.abort(signal.reason), { once: true });
  }
  return both.signal;
}

async function errorOf(response: Response): Promise<WindlassError> {
  const { status } = response;
  const body: unknown = await response.json().catch(() => null);
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
