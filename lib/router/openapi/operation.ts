/** An operation of /openapi.json: who may call it, what it takes, and how it answers; and the building blocks of these. */
import { ERROR_STATUS } from '../../base/errors.ts';

/** Who may call it, and under which heading. */
export interface Door {
  readonly tags: readonly string[];
  readonly security: readonly unknown[];
}

export const SESSION: Door = { tags: ['session'], security: [{ session: [] }] };
export const ADMIN: Door = { tags: ['admin'], security: [{ adminKey: [] }] };

interface Call {
  readonly parameters?: readonly unknown[];
  /** The schema of its body in JSON. */
  readonly takes?: unknown;
  readonly requestBody?: unknown;
  /** The answer with status 200. */
  readonly ok?: unknown;
  /** Other successful answers, by status. */
  readonly answers?: Readonly<Record<string, unknown>>;
  /** Statuses of errors besides the usual ones. */
  readonly fails?: readonly Status[];
}

/** An operation as the document has it. */
export interface Operation extends Door {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly unknown[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
}

/** A path: its own parameters, and its operations by method. */
export type PathItem = { readonly parameters?: readonly unknown[] } & Partial<
  Readonly<Record<'get' | 'post' | 'put' | 'patch' | 'delete', Operation>>
>;

/** An operation from who may call it, its id and what it does. */
export function operation(door: Door, operationId: string, summary: string, call: Call): Operation {
  const { takes, ok, answers, fails = [], ...rest } = call;
  return {
    operationId,
    summary,
    ...door,
    ...rest,
    ...(takes !== undefined && { requestBody: { required: true, content: { 'application/json': { schema: takes } } } }),
    responses: { ...(ok !== undefined && { '200': ok }), ...answers, ...errors(...fails) },
  };
}

/** Adds the errors that follow from who may call an operation, from its method and path, and from what it takes. */
export function withUsualErrors(paths: Readonly<Record<string, PathItem>>): Readonly<Record<string, unknown>> {
  const whole = (path: string, { parameters, ...methods }: PathItem): object => ({
    ...(parameters && { parameters }),
    ...Object.fromEntries(Object.entries(methods).map(([method, of]) => [method, withUsual(path, method, of)])),
  });
  return Object.fromEntries(Object.entries(paths).map(([path, item]) => [path, whole(path, item)]));
}

function withUsual(path: string, method: string, operation: Operation): Operation {
  const { security, parameters = [], requestBody, responses } = operation;
  const usual: Status[] = requestBody === undefined ? [] : [400, 413];
  if (path.includes('{')) usual.push(400); // an escape in the path that is none
  if (security.length > 0) {
    usual.push(401, 429);
    if (parameters !== KEYED.parameters && parameters.length > 0) usual.push(400);
    if (security !== SESSION.security || method !== 'get' || path.includes('{projectID}')) usual.push(403);
    if (path.includes('{') && method !== 'put') usual.push(404); // a PUT may create it
  }
  return { ...operation, responses: { ...responses, ...errors(...usual) } };
}

export function ref(name: string): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

/** An answer in JSON. */
export function json(description: string, schema: unknown): unknown {
  return { description, content: { 'application/json': { schema } } };
}

/** An answer of text. */
export function text(description: string, type: string): unknown {
  return { description, content: { [type]: { schema: TEXT } } };
}

/** A list of values that `items` describes. */
export function list(items: unknown): object {
  return { type: 'array', items };
}

/** An object that always has all of these fields. */
export function whole(properties: Readonly<Record<string, unknown>>): object {
  return { type: 'object', required: Object.keys(properties), properties };
}

export function pathId(name: string, description: string): unknown {
  return { name, in: 'path', required: true, description, schema: TEXT };
}

/** A parameter of the query string. */
export function parameter(name: string, description: string, schema: unknown = TEXT): object {
  return { name, in: 'query', description, schema };
}

/** Redirects a browser. */
export function seeOther(where: string): object {
  return {
    description: 'Redirect to `Location`.',
    headers: { Location: { description: where, required: true, schema: TEXT } },
  };
}

export const TEXT = { type: 'string' };
export const TEXT_OR_NULL = { type: ['string', 'null'] };

/** A moment, as JSON.stringify writes it. */
export const TIME = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$', description: 'ISO 8601, UTC.' }; // prettier-ignore
export const TIME_OR_NULL = { anyOf: [TIME, { type: 'null' }] };

export const DAY = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$' };

/** A range of days. */
export const DAYS = [
  parameter('from', 'First day; defaults to the first of the month.', DAY),
  parameter('to', 'Last day; defaults to today.', DAY),
];

/** A count of things. */
export const COUNT = { type: 'integer', minimum: 0 };

export const LIMIT = { anyOf: [COUNT, { type: 'null' }], description: 'null: none.' };

export const ORG = { type: 'string', pattern: '^org_' };
export const PROJECT = { type: 'string', pattern: '^prj_' };
export const PROJECT_ID = pathId('projectID', 'Id of the project, prj_…');
export const ORG_ID = pathId('orgID', 'Id of the organization, org_…');

/** For creating something: the sender's key. */
export const KEYED = {
  parameters: [
    {
      name: 'Idempotency-Key',
      in: 'header',
      description:
        'Sent again with the same key within 24 hours, the request gets the same answer, with `Idempotency-Replayed: true`, and makes nothing. 409 with another request.',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    },
  ],
} as const;

type Status = keyof typeof MEANINGS;

const MEANINGS = {
  400: 'A field or parameter is wrong; the message says which.',
  401: 'No credential, or one that is unknown, revoked or expired.',
  403: 'The credential may not do this, a limit is reached, or the project is suspended.',
  404: 'There is nothing under this path or id, or nothing that the credential may know of.',
  405: 'The path supports other methods.',
  409: 'Something of that kind exists already.',
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
    'RateLimit-Remaining': required('What is left in this minute.', COUNT),
    'RateLimit-Reset': required('Seconds, as in Retry-After.', { type: 'integer', const: 60 }),
  },
};

/** The error answers of an operation: those named, and those that every one may have. */
export function errors(...statuses: readonly Status[]): Readonly<Record<string, unknown>> {
  const all = new Set<number>([...statuses, 500, 503]);
  return Object.fromEntries([...all].map((status) => [String(status), { $ref: `#/components/responses/${status}` }]));
}

/** `components.responses`. */
export const ERROR_RESPONSES = Object.fromEntries(
  Object.entries(MEANINGS).map(([status, description]) => [
    status,
    {
      description,
      ...(HEADERS[Number(status)] === undefined ? {} : { headers: HEADERS[Number(status)] }),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    },
  ]),
);

export const ERROR_SCHEMA = {
  type: 'object',
  required: ['error', 'code'],
  properties: {
    error: { type: 'string', description: 'For people.' },
    code: { enum: Object.keys(ERROR_STATUS), description: 'For programs.' },
    hints: { type: 'array', items: { type: 'string' } },
    position: { ...COUNT, description: 'Where in `q`, in UTF-16 units.' },
    accepted: { ...COUNT, description: 'For streams: events that are stored.' },
    line: { ...COUNT, description: 'For streams: lines read before it ended.' },
  },
};

function required(description: string, schema: unknown): unknown {
  return { description, required: true, schema };
}
