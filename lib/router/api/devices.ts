/** Devices of a project: whom one is and was bound to, and undoing its last binding. */
import type { Express } from 'express';
import { AppError } from '../../base/errors.ts';
import type { DeviceBindings } from '../../store/event-store.ts';
import { jsonHandler } from '../http/json-handler.ts';
import type { RouterContext } from '../context.ts';
import { projectRef } from '../auth/credentials.ts';
import { addInTurns } from '../in-turn.ts';
import { pathParameter } from '../http/path-parameter.ts';
import { noSuch } from '../roles.ts';
import { toProject, type Door } from './doors.ts';

export function addDeviceEndpoints(app: Express, context: RouterContext, door: Door): void {
  const { store, turns } = context;
  addInTurns(app, context, {
    '/api/projects/:projectID/devices/:deviceID': {
      get: jsonHandler(toProject(door, 'read'), async ({ project }, request) => {
        const deviceId = pathParameter(request, 'deviceID');
        turns.leave(request); // it waits for a writer
        return deviceJson(deviceId, await store.device(projectRef(project), deviceId));
      }),
      delete: jsonHandler(toProject(door, 'change'), async ({ project }, request) => {
        const deviceId = pathParameter(request, 'deviceID');
        const ref = projectRef(project);
        turns.leave(request);
        const undone = await store.unbindDevice(ref, deviceId);
        const device = deviceJson(deviceId, await store.device(ref, deviceId));
        if (!undone) throw new AppError('conflict', 'The device is not bound to a user: there is nothing to undo.');
        return device;
      }),
    },
  });
}

/** Throws 404 for a device that was never bound. */
function deviceJson(deviceId: string, device: DeviceBindings | null) {
  if (device === null) throw noSuch('device');
  return {
    device_id: deviceId,
    user_id: device.userId,
    bound_at: device.boundAt === null ? null : new Date(device.boundAt).toISOString(),
    history: device.history.map(({ at, action, userId }) => ({
      at: new Date(at).toISOString(),
      action,
      user_id: userId,
    })),
  };
}
