/** The body of POST /query: from bytes to a checked request. /openapi.json uses the same schema. */
import { Ajv, type ValidateFunction } from 'ajv';
import { AppError } from '../../base/errors.ts';
import { parseJson } from '../http/parse-json.ts';

/** As sent, with defaults filled in. */
export interface QueryRequest {
  readonly q: string;
  readonly format: 'llm' | 'json' | 'csv';
  readonly limit: number;
  readonly offset: number;
  readonly timezone: string | null;
  readonly envelope: boolean;
  readonly explain: boolean;
}

const MAX_LIMIT = 10_000; // rows
const DEFAULT_LIMIT = 100;

/** Bytes. A query of 16 KiB with every character escaped (\uXXXX) takes six times as much. */
export const QUERY_BODY_LIMIT = 131_072;

interface Body extends Partial<Omit<QueryRequest, 'timezone'>> {
  readonly q: string;
  readonly timezone?: string | null;
}

/** JSON Schema of the body. Unknown fields are ignored, so that newer clients work with older servers. */
export const QUERY_SCHEMA = {
  type: 'object',
  required: ['q'],
  properties: {
    q: { type: 'string', description: 'The query, in the pipe language.' },
    format: { enum: ['llm', 'json', 'csv'], default: 'llm', description: 'Markdown, JSON or CSV.' },
    limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT, description: 'Page size in rows.' },
    offset: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0, description: 'Rows to skip.' },
    timezone: { type: ['string', 'null'], description: 'Time zone of days and dates, an IANA name; the query may set its own.' },
    envelope: { type: 'boolean', default: false, description: 'Wraps the JSON rows with columns, totals and notes.' },
    explain: { type: 'boolean', default: false, description: 'Answers how the query ran instead of its rows.' },
  },
} as const; // prettier-ignore

/** What a field must be, for messages. */
const EXPECTED: Readonly<Record<string, string>> = {
  '': 'The body must be a JSON object with the query in "q".',
  '/q': '"q" must be the query, a string.',
  '/format': '"format" must be "llm", "json" or "csv".',
  '/limit': `"limit" must be a whole number from 1 to ${MAX_LIMIT.toLocaleString('en')}.`,
  '/offset': '"offset" must be a whole number of at least 0.',
  '/timezone': '"timezone" must be the name of a time zone, such as "Europe/Berlin".',
  '/envelope': '"envelope" must be true or false.',
  '/explain': '"explain" must be true or false.',
};

let compiled: ValidateFunction<Body> | null = null;

/** Compiled for the first query: it would slow the start. Without the meta-schema, which would take longer than this one. */
function bodyCheck(): ValidateFunction<Body> {
  return (compiled ??= new Ajv({ meta: false, validateSchema: false }).compile<Body>(QUERY_SCHEMA));
}

/** Reads a body. Throws AppError 400 that says what is wrong; `maxLength` is the longest query in bytes of UTF-8. */
export function readQueryRequest(bytes: Uint8Array, maxLength: number): QueryRequest {
  const body = parseJson(bytes);
  const isBody = bodyCheck();
  if (!isBody(body))
    throw new AppError('bad_request', EXPECTED[isBody.errors?.[0]?.instancePath ?? ''] ?? 'Bad request.');
  if (Buffer.byteLength(body.q) > maxLength) {
    throw new AppError('query_too_large', `The query is longer than ${maxLength.toLocaleString('en')} bytes.`);
  }
  return {
    q: body.q,
    format: body.format ?? 'llm',
    limit: body.limit ?? DEFAULT_LIMIT,
    offset: body.offset ?? 0,
    timezone: body.timezone ?? null,
    envelope: body.envelope ?? false,
    explain: body.explain ?? false,
  };
}
