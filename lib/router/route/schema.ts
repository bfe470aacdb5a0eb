/** The building blocks of what /openapi.json shows: JSON Schemas, parameters and answers. */

/** On a reference: the schema that it stands for. */
const SCHEMA = Symbol('the schema of a component');

/** A schema that /openapi.json shows under a name of its own. */
export interface Component {
  readonly $ref: string;
  readonly [SCHEMA]: object;
}

/** Gives a schema a name; what uses it refers to it. */
export function component(name: string, schema: object): Component {
  return { $ref: `#/components/schemas/${name}`, [SCHEMA]: schema };
}

/** The components that something refers to, also those that other components refer to. */
export function componentsOf(value: unknown, found: Record<string, object> = {}): Readonly<Record<string, object>> {
  if (typeof value !== 'object' || value === null) return found;
  if (isComponent(value)) {
    const name = value.$ref.slice(value.$ref.lastIndexOf('/') + 1);
    if (name in found) return found;
    found[name] = value[SCHEMA];
    componentsOf(value[SCHEMA], found);
  }
  for (const part of Object.values(value)) componentsOf(part, found);
  return found;
}

const isComponent = (value: object): value is Component => SCHEMA in value;

/** An answer in JSON. */
export function json(description: string, schema: unknown): unknown {
  return { description, content: { 'application/json': { schema } } };
}

/** An answer of text. */
export function textAnswer(description: string, type: string): unknown {
  return { description, content: { [type]: { schema: ANY_STRING } } };
}

/** A list of values that `items` describes. */
export function list(items: unknown): object {
  return { type: 'array', items };
}

interface Described {
  readonly type: 'object';
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, unknown>>;
}

/** An object that always has all of these fields. */
export function objectOf(properties: Readonly<Record<string, unknown>>): Described {
  return { type: 'object', required: Object.keys(properties), properties };
}

/** An object that has exactly these fields. */
export function exactObject(properties: Readonly<Record<string, unknown>>): object {
  return { ...objectOf(properties), additionalProperties: false };
}

/** An object that may have these fields, too. */
export function also(properties: Readonly<Record<string, unknown>>, object: Described): Described {
  return { ...object, properties: { ...object.properties, ...properties } };
}

/** A parameter of the query string. */
export function parameter(name: string, description: string, schema: unknown = ANY_STRING): object {
  return { name, in: 'query', description, schema };
}

/** Redirects a browser. */
export function seeOther(where: string): object {
  return {
    description: 'Redirect to `Location`.',
    headers: { Location: { description: where, required: true, schema: ANY_STRING } },
  };
}

export const ANY_STRING = { type: 'string' };
export const STRING_OR_NULL = { type: ['string', 'null'] };

/** A moment, as JSON.stringify writes it. */
export const DATE_TIME = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$', description: 'ISO 8601, UTC.' }; // prettier-ignore
export const DATE_TIME_OR_NULL = { anyOf: [DATE_TIME, { type: 'null' }] };

export const DATE = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$' };

/** A range of days. */
export const DAYS = [
  parameter('from', 'First day; defaults to the first of the month.', DATE),
  parameter('to', 'Last day; defaults to today.', DATE),
];

/** A count of things. */
export const NATURAL = { type: 'integer', minimum: 0 };

export const LIMIT = { anyOf: [NATURAL, { type: 'null' }], description: 'null: none.' };

/** Ids. */
export const ORG = { type: 'string', pattern: '^org_' };
export const PROJECT = { type: 'string', pattern: '^prj_' };

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
