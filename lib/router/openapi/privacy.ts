/** Describes the data of one user and the bindings of a device for /openapi.json. */
import { operation, SESSION, COUNT, json, pathId, PROJECT_ID, ref, TEXT, TEXT_OR_NULL, TIME, TIME_OR_NULL, whole } from './operation.ts'; // prettier-ignore

const KEY = { tags: ['privacy'], security: [{ header: [] }] };
const USER = pathId('userID', 'The user id, percent-encoded.');

export const PRIVACY_PATHS = {
  '/api/gdpr/users/{userID}': {
    parameters: [USER],
    delete: operation(KEY, 'eraseUser', 'Erases all data of a user. Requires a secret key, or an access token with scope admin.', {
      ok: json('What was erased, on disk too; zeros for an unknown user.', ref('Erased')),
      fails: [400],
    }),
  },
  '/api/gdpr/users/{userID}/export': {
    parameters: [USER],
    get: operation(KEY, 'exportUser', 'Exports all data of a user as a stream. Requires a secret key, or an access token with scope admin.', {
      ok: {
        description: 'The profile, the devices, then the events in time order, one per line; empty for an unknown user. If the connection breaks off, the export is incomplete.',
        content: { 'application/x-ndjson': { schema: ref('ExportLine') } },
      },
      fails: [400, 405],
    }),
  },
  '/api/projects/{projectID}/devices/{deviceID}': {
    parameters: [PROJECT_ID, pathId('deviceID', 'The device id, percent-encoded.')],
    get: operation(SESSION, 'getDevice', 'Shows the user a device is bound to, and earlier ones.', {
      ok: json('The device.', ref('Device')),
      fails: [400],
    }),
    delete: operation(SESSION, 'undoBinding', 'Undoes the last binding of a device. Requires the role admin.', {
      ok: json('The device as it is bound now.', ref('Device')),
      fails: [400, 409],
    }),
  },
}; // prettier-ignore

export const PRIVACY_SCHEMAS = {
  Erased: object({ deleted: object({ events: COUNT, profiles: COUNT, devices: COUNT }) }),
  ExportLine: {
    oneOf: [
      object({
        type: { const: 'profile' },
        user_id: TEXT,
        first_seen: TIME,
        last_seen: TIME,
        properties: { type: 'object' },
      }),
      object({ type: { const: 'device' }, device_id: TEXT, user_id: TEXT }),
      {
        type: 'object',
        required: ['type', 'time', 'event_type', 'user_id', 'device_id', 'session_id', 'insert_id'],
        properties: {
          type: { const: 'event' },
          time: TIME,
          event_type: TEXT,
          user_id: TEXT_OR_NULL,
          device_id: TEXT_OR_NULL,
          session_id: TEXT_OR_NULL,
          insert_id: TEXT,
          event_properties: { type: 'object' },
          user_properties: { type: 'object' },
        },
        additionalProperties: TEXT,
        description: 'Further fields come from the request, such as `_browser`.',
      },
    ],
  },
  Device: object({
    device_id: TEXT,
    user_id: { ...TEXT_OR_NULL, description: 'null: not bound.' },
    bound_at: TIME_OR_NULL,
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
  return { ...whole(properties), additionalProperties: false };
}
