/** The body of POST /query: from bytes to a checked request. /openapi.json uses the same schema. */
import { AppError } from '../../base/errors.ts';
import { parseJson } from '../http/body.ts';
import { isRecord } from '../../base/is-record.ts';

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

const FORMATS = ['llm', 'json', 'csv'] as const;

/** JSON Schema of the body. Unknown fields are ignored, so that newer clients work with older servers. */
export const QUERY_SCHEMA = {
  type: 'object',
  required: ['q'],
  properties: {
    q: { type: 'string', description: 'The query, in the pipe language.' },
    format: { enum: FORMATS, default: 'llm', description: 'Markdown, JSON or CSV.' },
    limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT, description: 'Page size in rows.' },
    offset: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0, description: 'Rows to skip.' },
    timezone: { type: ['string', 'null'], description: 'Time zone of days and dates, an IANA name; the query may set its own.' },
    envelope: { type: 'boolean', default: false, description: 'Wraps the JSON rows with columns, totals and notes.' },
    explain: { type: 'boolean', default: false, description: 'Answers how the query ran instead of its rows.' },
  },
} as const; // prettier-ignore

type Check = (value: unknown) => boolean;

const isWhole = (value: unknown, least: number, most: number): boolean =>
  Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
const isBoolean: Check = (value) => typeof value === 'boolean';

/**
 * The fields as in QUERY_SCHEMA, which a test holds them to: to load and compile a validator takes as long as all else that a
 * first query needs here.
 */
const FIELDS: readonly (readonly [name: keyof Body, is: Check, expected: () => string])[] = [
  ['q', (value) => typeof value === 'string', () => 'the query, a string'],
  ['format', (value) => FORMATS.some((format) => format === value), () => '"llm", "json" or "csv"'],
  ['limit', (value) => isWhole(value, 1, MAX_LIMIT), () => `a whole number from 1 to ${MAX_LIMIT.toLocaleString('en')}`],
  ['offset', (value) => isWhole(value, 0, Number.MAX_SAFE_INTEGER), () => 'a whole number of at least 0'],
  ['timezone', (value) => value === null || typeof value === 'string', () => 'the name of a time zone, such as "Europe/Berlin"'],
  ['envelope', isBoolean, () => 'true or false'],
  ['explain', isBoolean, () => 'true or false'],
]; // prettier-ignore

/** Throws AppError 400 for what QUERY_SCHEMA does not allow. */
export function checkQueryBody(body: unknown): asserts body is Body {
  if (!isRecord(body) || body['q'] === undefined)
    throw new AppError('bad_request', 'The body must be a JSON object with the query in "q".');
  for (const [name, is, expected] of FIELDS) {
    if (body[name] !== undefined && !is(body[name]))
      throw new AppError('bad_request', `"${name}" must be ${expected()}.`);
  }
}

/** Reads a body. Throws AppError 400 that says what is wrong; `maxLength` is the longest query in bytes of UTF-8. */
export function readQueryRequest(bytes: Uint8Array, maxLength: number): QueryRequest {
  const body: unknown = parseJson(bytes);
  checkQueryBody(body);
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
