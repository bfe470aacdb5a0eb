/** What /track and /identify take and answer. Events go to the normaliser, which refuses nothing by type. */
import { STATED_FIELDS } from '../../base/stated-fields.ts';
import { component, NATURAL, list, ANY_STRING, STRING_OR_NULL, objectOf } from '../route/schema.ts';

const ID = {
  type: ['string', 'number', 'null'],
  description: 'Ignored if blank, or a placeholder such as "null" or "undefined".',
};
const TIME =
  'ISO 8601, RFC 2822, or a number since the epoch: seconds, or by its magnitude milliseconds, microseconds or nanoseconds. Defaults to now.';
const STATED = {
  type: ['string', 'number', 'null'],
  description: 'What a server knows of its client, in place of what would be derived; sk_ and aat_ only.',
};
const OBJECT = { type: ['object', 'null'], additionalProperties: true };

export const EVENT = component('Event', {
  type: 'object',
  required: ['event_type'],
  properties: {
    event_type: { type: 'string', minLength: 1, maxLength: 256, pattern: '\\S' },
    user_id: ID,
    device_id: ID,
    session_id: ID,
    insert_id: { ...ID, description: 'Events with the same id within 7 days are stored once.' },
    import_id: { ...ID, maxLength: 64, description: 'The import that brings it: its insert_id is remembered as long as it is stored. sk_ and aat_ only.' },
    time: { type: ['string', 'number', 'null'], description: TIME },
    event_properties: OBJECT,
    user_properties: OBJECT,
    library: STRING_OR_NULL,
    origin: { ...STRING_OR_NULL, description: '"server": the request says nothing about a browser.' },
    clientOriginated: { type: ['boolean', 'null'], description: 'true: the request is the client\'s, whatever key it has; its browser and place count.' },
    ip: { ...STRING_OR_NULL, description: 'Of the client on whose behalf a server sends; sk_ and aat_ only. Without it, such an event has no location.' },
    user_agent: { ...STRING_OR_NULL, description: 'As ip.' },
    ...Object.fromEntries(STATED_FIELDS.map((name) => [name, STATED])),
  },
}); // prettier-ignore

export const BATCH = component('Batch', {
  type: 'object',
  required: ['events'],
  properties: {
    events: list(EVENT),
    sent_at: { type: ['string', 'number'], description: "The sender's clock; one that is wrong by at most 24 hours is corrected." },
    origin: ANY_STRING,
    clientOriginated: { type: 'boolean' },
    strict: { type: 'boolean', description: 'As the parameter `strict`.' },
  },
}); // prettier-ignore

const REPORT = {
  accepted: NATURAL,
  rejected: NATURAL,
  errors: { type: 'array', maxItems: 20, items: failure('index') },
  warnings: { type: 'array', maxItems: 20, items: warning({ index: { type: ['integer', 'null'], description: 'null: of the batch.' } }) },
}; // prettier-ignore

export const ACCEPTED = component('Accepted', {
  type: 'object',
  required: ['accepted'],
  properties: REPORT,
  additionalProperties: false,
});

/** The answer to a call of Segment's protocol. */
export const CALL_STORED = component('CallStored', {
  type: 'object',
  required: ['success'],
  properties: { success: { const: true }, ...REPORT },
  additionalProperties: false,
});

export const IDENTIFY = component('Identify', {
  type: 'object',
  required: ['user_id'],
  properties: {
    user_id: { type: ['string', 'number'] },
    device_id: ID,
    time: { type: ['string', 'number', 'null'], description: `When this was so. ${TIME}` },
    user_properties: OBJECT,
    user_property_ops: {
      type: 'object',
      properties: {
        $set: { type: 'object' },
        $set_once: { type: 'object' },
        $add: { type: 'object', additionalProperties: { type: 'number' } },
        $unset: list(ANY_STRING),
      },
    },
  },
}); // prettier-ignore

export const IDENTIFIED = component('Identified', {
  type: 'object',
  required: ['ok'],
  properties: { ok: { const: true }, ignored: list(ANY_STRING), warnings: { type: 'array', maxItems: 20, items: warning({}) } },
  additionalProperties: false,
}); // prettier-ignore

export const STREAM_RESULT = component('StreamResult', {
  type: 'object',
  required: ['accepted', 'rejected', 'first_errors', 'warnings'],
  properties: {
    accepted: NATURAL,
    rejected: NATURAL,
    first_errors: { type: 'array', maxItems: 10, items: failure('line') },
    warnings: { type: 'array', maxItems: 20, items: warning({ line: { type: 'integer' } }) },
  },
  additionalProperties: false,
}); // prettier-ignore

/** Something that is stored, but not as it was sent. */
function warning(place: Readonly<Record<string, unknown>>): unknown {
  return objectOf({
    ...place,
    field: ANY_STRING,
    message: ANY_STRING,
    sent: { type: ['string', 'number', 'boolean', 'null'] },
  });
}

function failure(place: 'index' | 'line'): unknown {
  return objectOf({ [place]: { type: 'integer' }, error: ANY_STRING });
}
