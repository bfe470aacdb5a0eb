/** Bodies that are small JSON objects, checked against the schema that /openapi.json shows. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorObject } from 'ajv';
import { AppError } from '../../base/errors.ts';
import { isRecord } from '../../base/is-record.ts';
import { nearest } from '../../base/text/nearest.ts';
import { encodingOf, inflateSmall, parseBody } from '../http/body.ts';
import type { RouterContext } from '../context.ts';
import { managementOf } from './in-turn.ts';
import { type Call, jsonContent } from './route.ts';
import { shortened } from '../../base/text/shown.ts';

/** Bytes, on the wire and inflated. */
const BODY_LIMIT = 65_536;

const EMPTY = Buffer.from('{}');

/** The schemas of all bodies, by name. The build compiles them (scripts/body-checks.mjs): a service loads no compiler. */
export const BODY_SCHEMAS = new Map<string, object>();

interface ObjectSchema {
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, object>>;
}

interface BodyOptions {
  /** Whether /openapi.json says that requests have one. */
  readonly isRequired?: boolean;
  /** Whether other fields are let pass. */
  readonly isOpen?: boolean;
}

/** What a body must be: a JSON Schema, and for each field (`/name`, `''` for the whole) the message when it does not match. */
export class JsonBody<T> {
  readonly schema: object;
  readonly #name: string;
  readonly #isRequired: boolean;
  readonly #fields: ObjectSchema['properties'];
  readonly #expected: Readonly<Record<string, string>>;

  constructor(
    name: string,
    fields: ObjectSchema,
    expected: Readonly<Record<string, string>>,
    { isRequired = true, isOpen = false }: BodyOptions = {},
  ) {
    const schema = { type: 'object', ...fields };
    this.schema = isOpen ? schema : closed(schema);
    this.#name = name;
    this.#isRequired = isRequired;
    this.#fields = fields.properties;
    this.#expected = expected;
    if (BODY_SCHEMAS.has(name)) throw new Error(`there are two bodies "${name}"`);
    BODY_SCHEMAS.set(name, this.schema);
  }

  /** The body in bytes of JSON. Rejects with AppError 400 that names the wrong field. */
  async read(bytes: Uint8Array): Promise<T> {
    return this.checked(parseBody(bytes));
  }

  /** The same of a value. */
  async checked(body: unknown): Promise<T> {
    const { checkOf } = await import('./body-checks.js');
    const check = checkOf<T>(this.#name);
    if (check(body)) return body;
    throw this.#wrong(check.errors ?? []);
  }

  /** A call that takes it, as /openapi.json shows it. */
  shownWith(call: Call): Call {
    if (Object.keys(this.#fields).length === 0) return { ...call, fails: [413, ...(call.fails ?? [])] };
    return { requestBody: jsonContent(this.schema, this.#isRequired), ...call };
  }

  /**
   * Receives a body from whom `admit` lets in; it throws for all others. It is called before and after the body is read: a body
   * may take long to arrive, and a right may be lost meanwhile. An empty body counts as `{}`. Rejects with AppError 400 that names
   * the wrong field, 413, or 429 if too many requests wait for a turn.
   */
  async receiveFrom<A>(
    admit: () => A | Promise<A>,
    { turns, bodies }: Pick<RouterContext, 'turns' | 'bodies'>,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<{ readonly body: T; readonly admitted: A }> {
    await admit();
    const encoding = encodingOf(request);
    turns.leave(request);
    const owner = turns.ownerOf(request);
    const packed = await bodies.receive(request, response, {
      ...{ limit: BODY_LIMIT, hint: 'Send less.' },
      ...(owner !== null && { tenant: managementOf(owner) }),
    });
    const bytes = packed.byteLength === 0 ? EMPTY : await inflateSmall(packed, encoding, BODY_LIMIT);
    await turns.enter(request);
    return { body: await this.read(bytes), admitted: await admit() };
  }

  /** A name that is unknown comes first: it is often the one that seems to be missing, misspelt. */
  #wrong(errors: readonly ErrorObject[]): AppError {
    const unknown = errors.find(({ keyword }) => keyword === 'additionalProperties');
    if (unknown !== undefined) return this.#unknownField(unknown);
    const path = fieldOf(errors[0]);
    const field = path.split('/').at(-1) ?? '';
    const message = this.#expected[path] ?? 'The body must be a JSON object.';
    return new AppError('bad_request', message, field === '' ? {} : { field });
  }

  #unknownField({ params, instancePath }: ErrorObject): AppError {
    const name = String(params['additionalProperty']);
    const inside = instancePath.slice(1);
    const known = Object.keys(inside === '' ? this.#fields : propertiesOf(this.#fields[inside]));
    return unknownField(name, known, inside === '' ? 'in this body' : `in ${JSON.stringify(inside)}`);
  }
}

/** The same schema, which allows no other fields at any level but where it says so. */
function closed(schema: object): object {
  const properties = Object.entries(propertiesOf(schema)).map(([name, value]) => [name, closed(value)] as const);
  const isClosed = 'type' in schema && schema.type === 'object' && !('additionalProperties' in schema);
  return isClosed ? { ...schema, properties: Object.fromEntries(properties), additionalProperties: false } : schema;
}

function propertiesOf(schema: object | undefined): ObjectSchema['properties'] {
  const properties: unknown = schema !== undefined && 'properties' in schema ? schema.properties : {};
  return isRecord(properties) ? Object.fromEntries(Object.entries(properties).filter(isSchema)) : {};
}

const isSchema = (entry: [string, unknown]): entry is [string, object] => isRecord(entry[1]);

/** The field that an error is about; for an item, its list. */
function fieldOf(error: ErrorObject | undefined): string {
  const missing: unknown = error?.params['missingProperty'];
  const field = error?.instancePath.replace(/\/\d+$/, '') ?? '';
  return typeof missing === 'string' ? `${field}/${missing}` : field;
}

/** Of requests that need none: a field in it is meant for something else. */
export const NO_BODY = new JsonBody<object>(
  'none',
  { properties: {} },
  { '': 'The body must be empty, or an empty JSON object.' },
);

/** A name as a message shows it. */
export function shownField(name: string): string {
  return JSON.stringify(shortened(name));
}

/** The nearest of the names that are known, as a message ends; empty if none is near. */
export function nearestField(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === null ? '' : `; the nearest is ${JSON.stringify(near)}`;
}

/** @param where `in this body` and the like. */
function unknownField(name: string, known: readonly string[], where: string): AppError {
  const hints = known.length === 0 ? [] : [`Fields are ${known.map((one) => JSON.stringify(one)).join(', ')}.`];
  return new AppError('bad_request', `There is no field ${shownField(name)} ${where}${nearestField(name, known)}.`, {
    hints,
  });
}
