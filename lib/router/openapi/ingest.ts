/** Describes /track and /identify for /openapi.json. */
import { operation, COUNT, json, list, parameter, ref, TEXT, TEXT_OR_NULL, whole } from './operation.ts';

const DOOR = { tags: ['events'], security: [{ header: [] }, { parameter: [] }] };
const DEVICE = parameter(
  'device',
  'With a public key: what has no device_id gets one of address, user agent, project and the salt of the day.',
  { enum: ['daily'] },
);

export const INGEST_PATHS = {
  '/track': {
    post: operation(DOOR, 'track', 'Takes events: one, a batch, or a stream of lines.', {
      parameters: [DEVICE, parameter('report', 'Reports which events were rejected.', { type: 'boolean' })],
      requestBody: body({ anyOf: [ref('Event'), ref('Batch')] }, 'One event a line.'),
      ok: json('Stored on disk.', { anyOf: [ref('Accepted'), ref('StreamResult')] }),
      fails: [404],
    }),
  },
  '/identify': {
    post: operation(DOOR, 'identify', "Binds a device to a user and changes the user's profile.", {
      parameters: [DEVICE],
      requestBody: body(ref('Identify'), 'One identify a line.'),
      ok: json('Stored on disk.', { anyOf: [ref('Identified'), ref('StreamResult')] }),
      fails: [404],
    }),
  },
};

const ID = {
  type: ['string', 'number', 'null'],
  description: 'Ignored if blank, or a placeholder such as "null" or "undefined".',
};
const OBJECT = { type: ['object', 'null'], additionalProperties: true };

export const INGEST_SCHEMAS = {
  Event: {
    type: 'object',
    required: ['event_type'],
    properties: {
      event_type: { type: 'string', minLength: 1, maxLength: 256, pattern: '\\S' },
      user_id: ID,
      device_id: ID,
      session_id: ID,
      insert_id: { ...ID, description: 'Events with the same id within 7 days are stored once.' },
      time: { type: ['string', 'number', 'null'], description: 'ISO 8601, or epoch seconds or milliseconds; defaults to now.' },
      event_properties: OBJECT,
      user_properties: OBJECT,
      library: TEXT_OR_NULL,
      origin: { ...TEXT_OR_NULL, description: '"server": the request says nothing about a browser.' },
      clientOriginated: { type: ['boolean', 'null'], description: 'true: the request is the client\'s, whatever key it has; its browser and place count.' },
      ip: { ...TEXT_OR_NULL, description: 'Of the client on whose behalf a server sends; sk_ and aat_ only. Without it, such an event has no location.' },
      user_agent: { ...TEXT_OR_NULL, description: 'As ip.' },
    },
  },
  Batch: {
    type: 'object',
    required: ['events'],
    properties: {
      events: list(ref('Event')),
      sent_at: { type: ['string', 'number'], description: "The sender's clock; a wrong one is corrected." },
      origin: TEXT,
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
      device_id: ID,
      user_properties: OBJECT,
      user_property_ops: {
        type: 'object',
        properties: {
          $set: { type: 'object' },
          $set_once: { type: 'object' },
          $add: { type: 'object', additionalProperties: { type: 'number' } },
          $unset: list(TEXT),
        },
      },
    },
  },
  Identified: {
    type: 'object',
    required: ['ok'],
    properties: { ok: { const: true }, ignored: list(TEXT) },
    additionalProperties: false,
  },
  StreamResult: {
    type: 'object',
    required: ['accepted', 'rejected', 'first_errors'],
    properties: { accepted: COUNT, rejected: COUNT, first_errors: { type: 'array', maxItems: 10, items: failure('line') } },
    additionalProperties: false,
  },
}; // prettier-ignore

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
  return whole({ [place]: { type: 'integer' }, error: TEXT });
}
