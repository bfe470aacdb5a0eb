/** Bodies of the management APIs: small JSON objects, checked against the schema that /openapi.json shows. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, RequestHandler } from 'express';
import { type ErrorObject, type ValidateFunction, Ajv } from 'ajv';
import { AppError } from '../../base/errors.ts';
import { sendJson } from '../http/answer.ts';
import { encodingOf, inflateSmall, parseJson } from '../http/body.ts';
import type { RouterContext } from '../context.ts';
import { managementOf } from '../in-turn.ts';

/** Bytes, on the wire and inflated. */
const BODY_LIMIT = 65_536;

/** Schemas in the code are not checked against the meta-schema: a test lints them. */
const ajv = new Ajv({ meta: false, validateSchema: false });

/** What a body must be: a JSON Schema, and for each field (`/name`, `''` for the whole) the message when it does not match. */
export class JsonBody<T> {
  readonly schema: object;
  #compiled: ValidateFunction<T> | null = null;
  readonly #expected: Readonly<Record<string, string>>;

  constructor(
    schema: { readonly required?: readonly string[]; readonly properties: Readonly<Record<string, object>> },
    expected: Readonly<Record<string, string>>,
  ) {
    this.schema = { type: 'object', ...schema };
    this.#expected = expected;
  }

  /** Compiled when a body first comes: compiling all of them would slow the start. */
  get #check(): ValidateFunction<T> {
    return (this.#compiled ??= ajv.compile<T>(this.schema));
  }

  /**
   * Receives a body from whom `admit` lets in; it throws for all others. It is called before and after the body is read: a body
   * may take long to arrive, and a right may be lost meanwhile. An empty body counts as `{}`. Rejects with AppError 400 that names
   * the wrong field, 413, or 429 if too many requests wait for a turn.
   */
  async receiveFrom<A>(
    admit: () => A | Promise<A>,
    { context, request, response }: { context: RouterContext; request: IncomingMessage; response: ServerResponse },
  ): Promise<{ readonly body: T; readonly admitted: A }> {
    await admit();
    const encoding = encodingOf(request);
    context.turns.leave(request);
    const owner = context.turns.ownerOf(request);
    const packed = await context.bodies.receive(request, response, {
      ...{ limit: BODY_LIMIT, hint: 'Send less.' },
      ...(owner !== null && { tenant: managementOf(owner) }),
    });
    const bytes = packed.byteLength === 0 ? packed : await inflateSmall(packed, encoding, BODY_LIMIT);
    await context.turns.enter(request);
    const body: unknown = bytes.byteLength === 0 ? {} : parseJson(bytes);
    const check = this.#check;
    if (check(body)) return { body, admitted: await admit() };
    throw new AppError('bad_request', this.#expected[fieldOf(check.errors?.[0])] ?? 'The body must be a JSON object.');
  }

  /** A handler that answers with the value to whom `admit` lets in. */
  handler<A>(
    context: RouterContext,
    admit: (request: Request) => A | Promise<A>,
    value: (admitted: A, body: T, request: Request) => unknown,
    status = 200,
  ): RequestHandler {
    return async (request, response) => {
      const { body, admitted } = await this.receiveFrom(() => admit(request), { context, request, response });
      sendJson(response, status, await value(admitted, body, request));
    };
  }
}

/** The field that an error is about; for an item, its list. */
function fieldOf(error: ErrorObject | undefined): string {
  const missing: unknown = error?.params['missingProperty'];
  const field = error?.instancePath.replace(/\/\d+$/, '') ?? '';
  return typeof missing === 'string' ? `${field}/${missing}` : field;
}
