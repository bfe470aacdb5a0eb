/** /api/gdpr/*: people's rights by law: to get their data, and to have it erased. */
import type { Request, RequestHandler } from '../http/request.ts';
import { removeHalfMade } from '../../backup/half-made.ts';
import type { RouterContext } from '../context.ts';
import { operation, type Routes } from '../route/route.ts';
import { component, NATURAL, json, exactObject, ANY_STRING, STRING_OR_NULL, DATE_TIME } from '../route/schema.ts';
import { actorWith, REVOCATION_MS } from '../auth/credentials.ts';
import { projectRef } from '../project-ref.ts';
import { AppError } from '../../base/errors.ts';
import { ProjectLimit } from '../../store/project-limit.ts';
import { sendJson } from '../http/answer.ts';
import { sendStream } from '../http/stream-answer.ts';
import type { Actor, Project } from '../../control/types.ts';
import { pathParameter } from '../http/query-string.ts';

const KEY = { tags: ['privacy'], security: [{ header: [] }] };

const ERASED = component(
  'Erased',
  exactObject({ deleted: exactObject({ events: NATURAL, profiles: NATURAL, devices: NATURAL }) }),
);

const LINE = component('ExportLine', {
  oneOf: [
    exactObject({
      type: { const: 'profile' },
      user_id: ANY_STRING,
      first_seen: DATE_TIME,
      last_seen: DATE_TIME,
      properties: { type: 'object' },
    }),
    exactObject({ type: { const: 'device' }, device_id: ANY_STRING, user_id: ANY_STRING }),
    {
      type: 'object',
      required: ['type', 'time', 'event_type', 'user_id', 'device_id', 'session_id', 'insert_id'],
      properties: {
        type: { const: 'event' },
        time: DATE_TIME,
        event_type: ANY_STRING,
        user_id: STRING_OR_NULL,
        device_id: STRING_OR_NULL,
        session_id: STRING_OR_NULL,
        insert_id: ANY_STRING,
        event_properties: { type: 'object' },
        user_properties: { type: 'object' },
      },
      additionalProperties: ANY_STRING,
      description: 'Further fields come from the request, such as `_browser`.',
    },
  ],
});

const NDJSON = 'application/x-ndjson';

export const GDPR_ROUTES: Routes = {
  '/api/gdpr/users/{userID}': {
    delete: operation(
      KEY,
      'eraseUser',
      'Erases all data of a user. Requires a secret key, or an access token with scope admin.',
      {
        ok: json('What was erased, on disk too; zeros for an unknown user.', ERASED),
        fails: [400],
        handler: eraseUser,
      },
    ),
  },
  '/api/gdpr/users/{userID}/export': {
    get: operation(
      KEY,
      'exportUser',
      'Exports all data of a user as a stream. Requires a secret key, or an access token with scope admin.',
      {
        ok: {
          description:
            'The profile, the devices, then the events in time order, one per line; empty for an unknown user. If the connection breaks off, the export is incomplete.',
          content: { [NDJSON]: { schema: LINE } },
        },
        fails: [400, 405],
        head: false, // an export is recorded in the audit trail, and a request for headers takes no data
        handler: exportUser,
      },
    ),
  },
};

/**
 * Everything of a user as lines of JSON, as fast as the client reads.
 * A failure before the first piece is an error answer; after it, the connection breaks off, so that nobody takes a part for the
 * whole: also when the key is revoked meanwhile. A client that leaves ends the reading.
 */
function exportUser(services: Asking & Pick<RouterContext, 'control' | 'store'>): RequestHandler {
  const { store, control } = services;
  return async (request, response) => {
    const { project, userId, by } = await countedRequest(services, request);
    const pieces = store.exportUser(projectRef(project), userId)[Symbol.asyncIterator]();
    const first = await pieces.next();
    try {
      await control.auditUser('user.export', project.id, userId, by);
    } catch (error) {
      await pieces.return?.();
      throw error;
    }
    await sendStream(response, NDJSON, {
      first,
      rest: pieces,
      admit: { every: REVOCATION_MS, again: () => userRequest(services, request) },
    });
  };
}

/** Erasures that run or wait. Each reads a whole project and continues when its client leaves: without a limit they pile up. */
const ERASURES = { what: 'erasures', ofProject: 8, ofAll: 64 };

/** When it answers, nothing is left on disk. Continues when the client leaves: half an erasure is worthless. */
function eraseUser(
  services: Asking & Pick<RouterContext, 'config' | 'control' | 'erasedDevices' | 'erasures' | 'log' | 'store'>,
): RequestHandler {
  const { store, control, config, erasedDevices, erasures, log } = services;
  const limit = new ProjectLimit(ERASURES);
  return async (request, response) => {
    const { project, userId, by } = await countedRequest(services, request);
    if (erasedDevices.left(project.orgId) <= 0) throw tooManyDevices(config.erasedDevices);
    const leave = limit.enter(project);
    try {
      await control.auditUser('user.erase', project.id, userId, by);
      const erasing = store.eraseUser(projectRef(project), userId, async (toErase) => {
        erasedDevices.add(project.orgId, toErase.devices.length);
        await removeHalfMade(config.data, control);
        await control.alerts.runs.forget(project.id); // here, too: a crash after this line is followed by the erasure alone
        return erasures.userErased(project.id, userId, toErase);
      });
      const { events, profiles, devices } = await erasing.catch(async (error: unknown) => {
        const told = control.auditUser('user.erase_failed', project.id, userId, by);
        await told.catch((err: unknown) => log.error({ err }, 'a failed erasure is not in the audit trail'));
        throw error;
      });
      await control.alerts.runs.forget(project.id);
      await erasures.reach();
      sendJson(response, 200, { deleted: { events, profiles, devices } });
    } finally {
      leave();
    }
  };
}

function tooManyDevices(most: number): AppError {
  return new AppError(
    'rate_limited',
    `This organization has erased people with ${most.toLocaleString('en')} devices, as many as it may at once.`,
    {
      hints: ['Erase the next ones later: room for a two-hundredth of these comes back each minute.'],
    },
  );
}

/** What the endpoints about one user share. None of this is logged: paths hold ids of people. */
interface UserRequest {
  readonly project: Project;
  readonly userId: string;
  /** The actor in the audit trail. */
  readonly by: Actor;
}

type Asking = Pick<RouterContext, 'clients' | 'gatekeeper' | 'gdprRate'>;

/** Throws 429, too. */
async function countedRequest(services: Asking, request: Request): Promise<UserRequest> {
  const asked = await userRequest(services, request);
  services.gdprRate.check(asked.project);
  services.gdprRate.add(asked.project, 1);
  return asked;
}

/** Throws 401 and 403. Keys in the query string do not count here: they end up in other people's logs. */
async function userRequest(
  { gatekeeper, clients }: Pick<RouterContext, 'gatekeeper' | 'clients'>,
  request: Request,
): Promise<UserRequest> {
  const { ip } = clients.of(request);
  const credential = await gatekeeper.admit(request, { scope: 'admin', ip, where: 'header' });
  const userId = pathParameter(request, 'userID');
  return { project: credential.project, userId, by: actorWith(credential, ip) };
}
