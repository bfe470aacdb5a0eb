/** Building blocks for the descriptions of endpoints in /openapi.json. */

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
