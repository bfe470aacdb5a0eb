/** The errors that operations answer, as /openapi.json shows them. */
import { ERROR_STATUS } from '../../base/errors.ts';
import { component, DATE_TIME, NATURAL } from './schema.ts';

export type Status = keyof typeof MEANINGS;

const MEANINGS = {
  400: 'A field or parameter is wrong; the message says which.',
  401: 'No credential, or one that is unknown, revoked or expired.',
  403: 'The credential may not do this, a limit is reached, or the project is suspended.',
  404: 'There is nothing under this path or id, or nothing that the credential may know of.',
  405: 'The path supports other methods.',
  409: 'Something of that kind exists already, was changed meanwhile, or the change would remove stored events.',
  413: 'The body is larger than its limit.',
  429: 'Too much in a minute or at once.',
  500: 'A bug of ours. The id in the message is in the log of the server.',
  503: 'Switched off, under maintenance, shutting down, or without a disk that can be written.',
  504: 'The query took longer than it may.',
} as const;

const HEADERS: Partial<Record<number, Readonly<Record<string, unknown>>>> = {
  401: { 'WWW-Authenticate': required('How to send an API key.', { type: 'string' }) },
  405: { Allow: required('The methods that the path supports.', { type: 'string' }) },
  429: {
    'Retry-After': required('Seconds.', { type: 'integer', const: 60 }),
    RateLimit: required('The same in one field: `"queries";r=0;t=60`.', { type: 'string' }),
    'RateLimit-Remaining': required('What is left in this minute.', NATURAL),
    'RateLimit-Reset': required('Seconds, as in Retry-After.', { type: 'integer', const: 60 }),
  },
};

/** The error answers of an operation: those named, and those that every one may have. */
export function errors(...statuses: readonly Status[]): Readonly<Record<string, unknown>> {
  const all = new Set<number>([...statuses, 500, 503]);
  return Object.fromEntries([...all].map((status) => [String(status), { $ref: `#/components/responses/${status}` }]));
}

const ERROR = component('Error', {
  type: 'object',
  required: ['error', 'code'],
  properties: {
    error: { type: 'string', description: 'For people.' },
    code: { enum: Object.keys(ERROR_STATUS), description: 'For programs.' },
    hints: { type: 'array', items: { type: 'string' } },
    position: { ...NATURAL, description: 'Where in `q`, in UTF-16 units.' },
    field: { type: 'string', description: 'The field of the body that is wrong.' },
    events: { ...NATURAL, description: 'Stored events that would be removed; the request can confirm it.' },
    resets_at: { ...DATE_TIME, description: 'When a limit of the month ends, for `limit_reached`.' },
    accepted: { ...NATURAL, description: 'For streams: events that are stored.' },
    line: { ...NATURAL, description: 'For streams: lines read before it ended.' },
  },
});

/** `components.responses`. */
export const ERROR_RESPONSES = Object.fromEntries(
  Object.entries(MEANINGS).map(([status, description]) => [
    status,
    {
      description,
      ...(HEADERS[Number(status)] === undefined ? {} : { headers: HEADERS[Number(status)] }),
      content: { 'application/json': { schema: ERROR } },
    },
  ]),
);

function required(description: string, schema: unknown): unknown {
  return { description, required: true, schema };
}
