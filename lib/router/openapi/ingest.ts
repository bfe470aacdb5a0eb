/** What /openapi.json says of /track and /identify. */

import { errors } from './errors.ts';
import { ref } from './parts.ts';

const SECURITY = [{ header: [] }, { parameter: [] }];
const ERRORS = errors(400, 401, 403, 404, 413, 429);

const DEVICE = {
  name: 'device',
  in: 'query',
  schema: { enum: ['daily'] },
  description:
    'With a public key: what has no device_id gets one of address, user agent, project and the salt of the day.',
};

export const INGEST_PATHS = {
  '/track': {
    post: {
      operationId: 'track',
      tags: ['events'],
      summary: 'Takes events: one, a batch, or a stream of lines.',
      security: SECURITY,
      parameters: [DEVICE, { name: 'report', in: 'query', schema: { type: 'boolean' }, description: 'Reports which events were rejected.' }],
      requestBody: body({ anyOf: [ref('Event'), ref('Batch')] }, 'One event a line.'),
      responses: { '200': answer({ anyOf: [ref('Accepted'), ref('StreamResult')] }), ...ERRORS },
    },
  },
  '/identify': {
    post: {
      operationId: 'identify',
      tags: ['events'],
      summary: "Binds a device to a user and changes the user's profile.",
      security: SECURITY,
      parameters: [DEVICE],
      requestBody: body(ref('Identify'), 'One identify a line.'),
      responses: { '200': answer({ anyOf: [ref('Identified'), ref('StreamResult')] }), ...ERRORS },
    },
  },
}; // prettier-ignore

const TEXT = {
  type: ['string', 'number', 'null'],
  description: 'Ignored if blank, or a placeholder such as "null" or "undefined".',
};
const OBJECT = { type: ['object', 'null'], additionalProperties: true };
const COUNT = { type: 'integer', minimum: 0 };

export const INGEST_SCHEMAS = {
  Event: {
    type: 'object',
    required: ['event_type'],
    properties: {
      event_type: { type: 'string', minLength: 1, maxLength: 256, pattern: '\\S' },
      user_id: TEXT,
      device_id: TEXT,
      session_id: TEXT,
      insert_id: { ...TEXT, description: 'Events with the same id within 7 days are stored once.' },
      time: { type: ['string', 'number', 'null'], description: 'ISO 8601, or epoch seconds or milliseconds; defaults to now.' },
      event_properties: OBJECT,
      user_properties: OBJECT,
      library: { type: ['string', 'null'] },
      origin: { type: ['string', 'null'], description: '"server": the request says nothing about a browser.' },
      clientOriginated: { type: ['boolean', 'null'], description: 'true: the request is the client\'s, whatever key it has; its browser and place count.' },
      ip: { type: ['string', 'null'], description: 'Of the client on whose behalf a server sends; sk_ and aat_ only. Without it, such an event has no location.' },
      user_agent: { type: ['string', 'null'], description: 'As ip.' },
    },
  },
  Batch: {
    type: 'object',
    required: ['events'],
    properties: {
      events: { type: 'array', items: { $ref: '#/components/schemas/Event' } },
      sent_at: { type: ['string', 'number'], description: "The sender's clock; a wrong one is corrected." },
      origin: { type: 'string' },
      clientOriginated: { type: 'boolean' },
    },
  },
  Accepted: {
    type: 'object',
    required: ['accepted'],
    properties: {
      accepted: COUNT,
      rejected: COUNT,
      errors: { type: 'array', maxItems: 20, items: failure('index') },
    },
    additionalProperties: false,
  },
  Identify: {
    type: 'object',
    required: ['user_id'],
    properties: {
      user_id: { type: ['string', 'number'] },
      device_id: TEXT,
      user_properties: OBJECT,
      user_property_ops: {
        type: 'object',
        properties: {
          $set: { type: 'object' },
          $set_once: { type: 'object' },
          $add: { type: 'object', additionalProperties: { type: 'number' } },
          $unset: { type: 'array', items: { type: 'string' } },
        },
      },
    },
  },
  Identified: {
    type: 'object',
    required: ['ok'],
    properties: { ok: { const: true }, ignored: { type: 'array', items: { type: 'string' } } },
    additionalProperties: false,
  },
  StreamResult: {
    type: 'object',
    required: ['accepted', 'rejected', 'first_errors'],
    properties: { accepted: COUNT, rejected: COUNT, first_errors: { type: 'array', maxItems: 10, items: failure('line') } },
    additionalProperties: false,
  },
}; // prettier-ignore

function answer(schema: unknown): unknown {
  return { description: 'Stored on disk.', content: { 'application/json': { schema } } };
}

function body(schema: unknown, lines: string): unknown {
  return {
    required: true,
    content: {
      'application/json': { schema },
      'text/plain': { schema: { type: 'string', description: 'The same JSON, as sent by beacons.' } },
      'application/x-ndjson': { schema: { type: 'string', description: lines } },
    },
  };
}

function failure(place: 'index' | 'line'): unknown {
  return {
    type: 'object',
    required: [place, 'error'],
    properties: { [place]: { type: 'integer' }, error: { type: 'string' } },
  };
}
