/** The body of POST /query: from bytes to a checked request. /openapi.json uses the same schema. */
import { AppError } from '../../base/errors.ts';
import { JsonBody, nearestField, shownField } from '../route/json-body.ts';
import { MAX_QUERY_BYTES } from '../../dsl/compile.ts';

/** As sent, with defaults filled in. */
export interface QueryRequest {
  readonly q: string;
  readonly format: 'llm' | 'json' | 'csv';
  readonly limit: number;
  readonly offset: number;
  /** Of the page behind which the answer goes on; null: `offset` counts. */
  readonly cursor: string | null;
  readonly timezone: string | null;
  readonly envelope: boolean;
  readonly explain: boolean;
  /** Of fields that are unknown, and so were ignored. */
  readonly notes: readonly string[];
}

const MAX_LIMIT = 10_000; // rows
const DEFAULT_LIMIT = 100;

/** Bytes. A query with every character escaped (\uXXXX) takes six times as much as itself. */
export const QUERY_BODY_LIMIT: number = MAX_QUERY_BYTES * 8;

interface Body extends Partial<Omit<QueryRequest, 'timezone' | 'notes' | 'cursor'>> {
  readonly q: string;
  readonly cursor?: string | null;
  readonly timezone?: string | null;
}

const FORMATS = ['llm', 'json', 'csv'] as const;

/** Unknown fields are ignored, so that newer clients work with older servers; a note says so. */
const FIELDS = {
  q: { type: 'string', description: 'The query, in the pipe language: at most 16 KiB, each regular expression in it at most 1,000 characters.' },
  format: { enum: FORMATS, default: 'llm', description: 'Markdown, JSON or CSV.' },
  limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT, description: 'Page size in rows.' },
  offset: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0, description: 'Rows to skip.' },
  cursor: { type: ['string', 'null'], description: 'In place of `offset`, of a `list`: the `X-Next-Cursor` of the page before.' },
  timezone: { type: ['string', 'null'], description: 'Time zone of days and dates, an IANA name; the query may set its own.' },
  envelope: { type: 'boolean', default: false, description: 'Wraps the JSON rows with columns, totals and notes.' },
  explain: { type: 'boolean', default: false, description: 'Answers how the query ran instead of its rows.' },
}; // prettier-ignore

export const QUERY_BODY = new JsonBody<Body>(
  'query',
  { required: ['q'], properties: FIELDS },
  {
    '': 'The body must be a JSON object with the query in "q".',
    '/q': 'The body must be a JSON object with the query, a string, in "q".',
    '/format': '"format" must be "llm", "json" or "csv".',
    '/limit': `"limit" must be a whole number from 1 to ${MAX_LIMIT.toLocaleString('en')}.`,
    '/offset': '"offset" must be a whole number of at least 0.',
    '/cursor': '"cursor" must be a string, as `X-Next-Cursor` of the page before has it.',
    '/timezone': '"timezone" must be the name of a time zone, such as "Europe/Berlin".',
    '/envelope': '"envelope" must be true or false.',
    '/explain': '"explain" must be true or false.',
  },
  { isOpen: true },
);

/** Reads a body. Rejects with AppError 400 that says what is wrong; `maxLength` is the longest query in bytes of UTF-8. */
export async function readQueryRequest(bytes: Uint8Array, maxLength: number): Promise<QueryRequest> {
  const body = await QUERY_BODY.read(bytes);
  refuseLongQuery(body.q, maxLength);
  const cursor = body.cursor ?? null;
  if (cursor !== null && (body.offset ?? 0) > 0) {
    throw new AppError(
      'bad_request',
      'The body has a "cursor" and an "offset": only one of them says where the page begins.',
    );
  }
  return {
    q: body.q,
    format: body.format ?? 'llm',
    limit: body.limit ?? DEFAULT_LIMIT,
    offset: body.offset ?? 0,
    cursor,
    timezone: body.timezone ?? null,
    envelope: body.envelope ?? false,
    explain: body.explain ?? false,
    notes: notesOfUnknown(body),
  };
}

/** Throws AppError 400 for a query of more than so many bytes of UTF-8. */
export function refuseLongQuery(q: string, most: number): void {
  if (Buffer.byteLength(q) <= most) return;
  throw new AppError('query_too_large', `The query is longer than ${most.toLocaleString('en')} bytes.`);
}

/** Fields that notes name: a body may have thousands. */
const MOST_NAMED = 5;

/** What is ignored is told, or a misspelt `limit` would cut an answer and nobody knew why. */
function notesOfUnknown(body: Body): readonly string[] {
  const known = Object.keys(FIELDS);
  const unknown = Object.keys(body).filter((name) => !known.includes(name));
  const more = unknown.length - MOST_NAMED;
  return [
    ...unknown
      .slice(0, MOST_NAMED)
      .map((name) => `The request's field ${shownField(name)} is unknown and was ignored${nearestField(name, known)}.`),
    ...(more > 0 ? [`${more} more unknown fields of the request were ignored.`] : []),
  ];
}
