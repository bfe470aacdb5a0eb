/** DELETE /events: the way back from an import, or from events that should never have been sent. */
import type { ServerResponse } from 'node:http';
import { AppError } from '../../base/errors.ts';
import { monotonic } from '../../base/monotonic.ts';
import { removeHalfMade } from '../../backup/half-made.ts';
import type { Actor, Project } from '../../control/types.ts';
import type { ListPlan } from '../../dsl/plan/plan.ts';
import { ProjectLimit } from '../../store/project-limit.ts';
import { actorWith, REVOCATION_MS } from '../auth/credentials.ts';
import { projectRef } from '../project-ref.ts';
import type { RouterContext } from '../context.ts';
import { sendJson } from '../http/answer.ts';
import { encodingOf, inflateSmall } from '../http/body.ts';
import { Deadline } from '../http/deadline.ts';
import { isSwitchedOn } from '../http/query-string.ts';
import type { Request, RequestHandler } from '../http/request.ts';
import { readQueryOf } from '../query/read-query.ts';
import { operation, type Routes } from '../route/route.ts';
import { component, exactObject, json, NATURAL, parameter } from '../route/schema.ts';
import { changesOf, planOf, queryOf, SELECTION, type Selection } from './selection.ts';

const KEY = { tags: ['events'], security: [{ header: [] }] };

const DELETED = component(
  'DeletedEvents',
  exactObject({ matching: NATURAL, deleted: NATURAL, dry_run: { type: 'boolean' } }),
);

export const EVENT_ROUTES: Routes = {
  '/events': {
    delete: operation(
      KEY,
      'deleteEvents',
      'Deletes events, with their insert ids. Requires a secret key, or an access token with scope admin.',
      {
        ...SELECTION.shownWith({
          parameters: [parameter('dry_run', 'Only counts them, as in the body.', { type: 'boolean' })],
          ok: json('How many events matched, and how many were deleted, on disk too.', DELETED),
          fails: [400, 413, 504],
        }),
        handler: deleteEvents,
      },
    ),
  },
};

/** Bytes of a body, on the wire and inflated. */
const BODY_LIMIT = 65_536;
const EMPTY = Buffer.from('{}');

/** Deletions that run or wait: each reads a whole project, and goes on when its client leaves. */
const DELETIONS = { what: 'deletions of events', ofProject: 4, ofAll: 32 };

type Deleting = Pick<
  RouterContext,
  | 'admission'
  | 'bodies'
  | 'clients'
  | 'config'
  | 'control'
  | 'erasedDevices'
  | 'erasures'
  | 'gatekeeper'
  | 'gdprRate'
  | 'log'
  | 'reading'
  | 'store'
>;

interface Deletion {
  readonly project: Project;
  readonly by: Actor;
  readonly wanted: Selection;
  readonly plan: ListPlan;
  readonly deadline: Deadline;
}

/** What was acknowledged before the request is deleted, what comes later stays. Continues when the client leaves. */
function deleteEvents(services: Deleting): RequestHandler {
  const limit = new ProjectLimit(DELETIONS);
  return async (request, response) => {
    const arrival = Date.now();
    const begun = monotonic();
    const { project, by } = await admitted(services, request);
    services.gdprRate.check(project);
    services.gdprRate.add(project, 1);
    const wanted = await received(services, request, response, project);
    if (monotonic() - begun >= REVOCATION_MS) await admitted(services, request);
    if (services.erasedDevices.left(project.orgId) <= 0) throw tooManyErased();
    const leave = limit.enter(project);
    const deadline = new Deadline(begun, services.config.queryTimeout, response);
    try {
      const asked = { ...AS_USUAL, q: queryOf(wanted) };
      const reading = { project, hashKey: null, seesProfiles: true, wanted: asked, arrival, deadline, response };
      const plan = planOf((await readQueryOf(services, reading)).plan, wanted);
      const deletion = { project, by, wanted, plan, deadline };
      const isDry = wanted.dry_run === true || isSwitchedOn(request, 'dry_run');
      const counts = await (isDry ? counted(services, deletion) : deleted(services, deletion));
      sendJson(response, 200, { ...counts, dry_run: isDry });
    } finally {
      deadline.end();
      leave();
    }
  };
}

/** Of a query, what a deletion does not say. */
const AS_USUAL = { format: 'json', limit: 1, offset: 0, timezone: null, envelope: false, explain: false, cursor: null, notes: [] } as const; // prettier-ignore

/** Throws 401 and 403. Keys in the query string do not count here: they end up in other people's logs. */
async function admitted(
  { gatekeeper, clients }: Pick<Deleting, 'gatekeeper' | 'clients'>,
  request: Request,
): Promise<{ readonly project: Project; readonly by: Actor }> {
  const { ip } = clients.of(request);
  const credential = await gatekeeper.admit(request, { scope: 'admin', ip, where: 'header' });
  return { project: credential.project, by: actorWith(credential, ip) };
}

async function received(
  { bodies }: Pick<Deleting, 'bodies'>,
  ...[request, response, tenant]: readonly [Request, ServerResponse, Project]
): Promise<Selection> {
  const encoding = encodingOf(request);
  const packed = await bodies.receive(request, response, { tenant, limit: BODY_LIMIT, hint: 'Send less.' });
  return SELECTION.read(packed.byteLength === 0 ? EMPTY : await inflateSmall(packed, encoding, BODY_LIMIT));
}

/** Bytes of a device in the log of erasures, by whose number its growth is bounded. */
const DEVICE_BYTES = 26;

function tooManyErased(): AppError {
  return new AppError('rate_limited', 'This organization has deleted and erased as much as it may at once.', {
    hints: ['Delete the next ones later: room for a two-hundredth of that comes back each minute.'],
  });
}

interface Counts {
  readonly matching: number;
  readonly deleted: number;
}

/** In the turn of a query. */
async function counted({ admission, store }: Deleting, { project, plan, deadline }: Deletion): Promise<Counts> {
  const options = { deadline: deadline.at, signal: deadline.signal };
  const count = admission.run(project, () => store.query(projectRef(project), plan, options), deadline.signal);
  return { matching: (await deadline.race(count)).table.total, deleted: 0 };
}

async function deleted(
  { store, control, config, erasedDevices, erasures, log }: Deleting,
  { project, by, wanted, plan, deadline }: Deletion,
): Promise<Counts> {
  let matching = 0;
  const deleting = store.deleteEvents(projectRef(project), plan, { deadline: deadline.at }, async (found) => {
    matching = found.events;
    erasedDevices.add(project.orgId, Math.ceil(found.arrivals.join('').length / DEVICE_BYTES));
    await control.auditEvents('events.delete', project.id, changesOf(wanted, matching), by);
    await removeHalfMade(config.data, control);
    await erasures.eventsDeleted(project.id, found.arrivals);
  });
  const gone = await deleting.catch(async (error: unknown) => {
    if (matching === 0) throw error;
    const told = control.auditEvents('events.delete_failed', project.id, changesOf(wanted, matching), by);
    await told.catch((err: unknown) => log.error({ err }, 'a failed deletion of events is not in the audit trail'));
    throw error;
  });
  await erasures.reach();
  return { matching: Math.max(matching, gone), deleted: gone };
}
