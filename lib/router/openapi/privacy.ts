/** What /openapi.json says of the data of one user, and of the bindings of a device. */
import { errors } from './errors.ts';
import { COUNT, json, pathId, ref, TIME } from './parts.ts';

const KEY = { tags: ['privacy'], security: [{ header: [] }] };
const SESSION = { tags: ['session'], security: [{ session: [] }] };
const USER = pathId('userID', 'The user id, percent-encoded.');
const DEVICE = {
  parameters: [pathId('projectID', 'Id of the project, prj_…'), pathId('deviceID', 'The device id, percent-encoded.')],
};

export const PRIVACY_PATHS = {
  '/api/gdpr/users/{userID}': {
    parameters: [USER],
    delete: {
      operationId: 'eraseUser',
      summary: 'Erases all data of a user. Requires a secret key, or an access token with scope admin.',
      ...KEY,
      responses: {
        '200': json('What is gone, from the disk too; zeros for a user that nobody knows.', ref('Erased')),
        ...errors(400, 401, 403, 404, 429),
      },
    },
  },
  '/api/gdpr/users/{userID}/export': {
    parameters: [USER],
    get: {
      operationId: 'exportUser',
      summary: 'Exports all data of a user as a stream. Requires a secret key, or an access token with scope admin.',
      ...KEY,
      responses: {
        '200': {
          description: 'The profile, the devices, then the events in time order, one per line; empty for an unknown user. If the connection breaks off, the export is incomplete.',
          content: { 'application/x-ndjson': { schema: ref('ExportLine') } },
        },
        ...errors(400, 401, 403, 404, 429),
      },
    },
  },
  '/api/projects/{projectID}/devices/{deviceID}': {
    ...DEVICE,
    get: {
      operationId: 'getDevice',
      summary: 'Shows who a device is and was bound to.',
      ...SESSION,
      responses: { '200': json('The device.', ref('Device')), ...errors(400, 401, 403, 404, 429) },
    },
    delete: {
      operationId: 'undoBinding',
      summary: 'Undoes the last binding of a device. Requires the role admin.',
      ...SESSION,
      responses: {
        '200': json('The device as it is bound now.', ref('Device')),
        ...errors(400, 401, 403, 404, 409, 429),
      },
    },
  },
}; // prettier-ignore

const TEXT_OR_NULL = { type: ['string', 'null'] };

export const PRIVACY_SCHEMAS = {
  Erased: object({ deleted: object({ events: COUNT, profiles: COUNT, devices: COUNT }) }),
  ExportLine: {
    oneOf: [
      object({
        type: { const: 'profile' },
        user_id: { type: 'string' },
        first_seen: TIME,
        last_seen: TIME,
        properties: { type: 'object' },
      }),
      object({ type: { const: 'device' }, device_id: { type: 'string' }, user_id: { type: 'string' } }),
      {
        type: 'object',
        required: ['type', 'time', 'event_type', 'user_id', 'device_id', 'session_id', 'insert_id'],
        properties: {
          type: { const: 'event' },
          time: TIME,
          event_type: { type: 'string' },
          user_id: TEXT_OR_NULL,
          device_id: TEXT_OR_NULL,
          session_id: TEXT_OR_NULL,
          insert_id: { type: 'string' },
          event_properties: { type: 'object' },
          user_properties: { type: 'object' },
        },
        additionalProperties: { type: 'string' },
        description: 'Further fields come from the request, such as `_browser`.',
      },
    ],
  },
  Device: object({
    device_id: { type: 'string' },
    user_id: { ...TEXT_OR_NULL, description: 'null: bound to nobody.' },
    bound_at: { anyOf: [TIME, { type: 'null' }] },
    history: {
      type: 'array',
      maxItems: 1000,
      description: 'Oldest first; the newest 1,000.',
      items: object({
        at: TIME,
        action: { enum: ['bind', 'undo'] },
        user_id: { ...TEXT_OR_NULL, description: 'The user the device is bound to from then on.' },
      }),
    },
  }),
};

/** An object that has exactly these fields. */
function object(properties: Readonly<Record<string, unknown>>): unknown {
  return { type: 'object', required: Object.keys(properties), properties, additionalProperties: false };
}
