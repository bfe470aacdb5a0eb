/** Devices of a project: whom one is and was bound to, and undoing its last binding. */
import type { Request } from '../http/request.ts';
import { isoTime } from '../../base/day.ts';
import { AppError } from '../../base/errors.ts';
import type { DeviceBindings } from '../../store/event-store.ts';
import { projectRef } from '../project-ref.ts';
import { pathParameter } from '../http/query-string.ts';
import { managed } from '../route/managed.ts';
import type { Routes } from '../route/route.ts';
import {
  component,
  json,
  exactObject,
  ANY_STRING,
  STRING_OR_NULL,
  DATE_TIME,
  DATE_TIME_OR_NULL,
} from '../route/schema.ts';
import { noSuch } from '../roles.ts';
import { SESSION } from './doors.ts';

const DEVICE = component(
  'Device',
  exactObject({
    device_id: ANY_STRING,
    user_id: { ...STRING_OR_NULL, description: 'null: not bound.' },
    bound_at: DATE_TIME_OR_NULL,
    history: {
      type: 'array',
      maxItems: 1000,
      description: 'Oldest first; the newest 1,000.',
      items: exactObject({
        at: DATE_TIME,
        action: { enum: ['bind', 'undo'] },
        user_id: { ...STRING_OR_NULL, description: 'The user the device is bound to from then on.' },
      }),
    },
  }),
);

const deviceId = (request: Request): string => pathParameter(request, 'deviceID');

export const DEVICE_ROUTES: Routes = {
  '/api/projects/{projectID}/devices/{deviceID}': {
    get: managed(SESSION, 'getDevice', 'Shows the user a device is bound to, and earlier ones.', {
      admit: SESSION.project('read'),
      ok: json('The device.', DEVICE),
      fails: [400],
      answer: async ({ store, turns }, { project }, request) => {
        turns.leave(request); // it waits for a writer
        const device = await store.device(projectRef(project), deviceId(request));
        await turns.enter(request); // a thousand changes are written
        return deviceJson(deviceId(request), device);
      },
    }),
    delete: managed(SESSION, 'undoBinding', 'Undoes the last binding of a device. Requires the role admin.', {
      admit: SESSION.project('change'),
      ok: json('The device as it is bound now.', DEVICE),
      fails: [400, 409],
      answer: async ({ store, turns }, { project }, request) => {
        const ref = projectRef(project);
        turns.leave(request);
        const undone = await store.unbindDevice(ref, deviceId(request));
        const bindings = await store.device(ref, deviceId(request));
        await turns.enter(request);
        const device = deviceJson(deviceId(request), bindings);
        if (!undone) throw new AppError('conflict', 'The device is not bound to a user: there is nothing to undo.');
        return device;
      },
    }),
  },
};

/** Throws 404 for a device that was never bound. */
function deviceJson(id: string, device: DeviceBindings | null) {
  if (device === null) throw noSuch('device');
  return {
    device_id: id,
    user_id: device.userId,
    bound_at: device.boundAt === null ? null : isoTime(device.boundAt),
    history: device.history.map(({ at, action, userId }) => ({ at: isoTime(at), action, user_id: userId })),
  };
}
