/** Pieces that the descriptions of endpoints for /openapi.json are made of. */

/** A reference to a schema of `components`. */
export function ref(name: string): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

/** An answer in JSON. */
export function json(description: string, schema: unknown): unknown {
  return { description, content: { 'application/json': { schema } } };
}

/** A body in JSON; `required` unless told otherwise. */
export function jsonBody(schema: unknown, required = true): unknown {
  return { required, content: { 'application/json': { schema } } };
}

/** An id in the path. */
export function pathId(name: string, description: string): unknown {
  return { name, in: 'path', required: true, description, schema: { type: 'string' } };
}

/** A moment, as JSON.stringify writes it. */
export const TIME = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$', description: 'ISO 8601, UTC.' }; // prettier-ignore

/** A count of things. */
export const COUNT = { type: 'integer', minimum: 0 };

/** For what is made once: the key of the sender. */
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
