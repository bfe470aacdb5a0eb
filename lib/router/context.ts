/** What the endpoints share: the services behind them, the limits in front. */
import { bucketAccess } from '../buckets/access.ts';
import type { Config } from '../base/config/config.ts';
import type { ControlDatabase } from '../control/database.ts';
import { ErasureLog } from '../erasures/erasure-log.ts';
import { type Erasures, sharedErasureLog } from '../erasures/erasures.ts';
import type { ReachedLimit } from '../control/types.ts';
import type { Log } from '../base/log.ts';
import { memoryShares } from '../base/config/memory-shares.ts';
import type { Tenant } from '../base/project.ts';
import type { Mail } from './mail/mail.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import type { EventStore } from '../store/event-store.ts';
import { Admission } from './limits/admission.ts';
import { BodyReceiver } from './http/body.ts';
import { ClientAddresses } from './http/client-address.ts';
import { ClientConnections, connectionBounds } from './http/connections.ts';
import { Gatekeeper } from './auth/credentials.ts';
import { FailureLimit } from './limits/failure-limit.ts';
import type { Lifecycle } from './lifecycle.ts';
import { EventLoopTurns } from './limits/event-loop-turns.ts';
import { monotonic } from '../base/monotonic.ts';
import { createMetrics } from './metrics.ts';
import { ProjectDeletions } from './project-deletions.ts';
import { RateLimit, TenantRate, RateWindows } from './limits/rate-limit.ts';
import { TenantLoad } from './limits/tenant-load.ts';
import { SecurityLog } from './auth/security-log.ts';
import { SessionKeeper } from './auth/sessions.ts';
import { UnreadAnswers } from './http/unread-answers.ts';

/** The services behind the endpoints. */
export interface Services {
  readonly config: Config;
  readonly log: Log;
  readonly control: ControlDatabase;
  readonly store: EventStore;
  readonly lifecycle: Lifecycle;
  /** The salt of device ids that last a day: that of today, by UTC. */
  readonly salt: { readonly salt: Uint8Array | Promise<Uint8Array> };
  /** Where browsers reach the service, without a trailing slash: WINDLASS_URL, or http:// and the address. */
  readonly publicUrl: () => string;
  /** Tells the host what happens; null: it has no receiver. */
  readonly webhooks: Webhooks | null;
  /** null: the host sends no mail. */
  readonly mail: Mail | null;
}

export type RouterContext = Readonly<ReturnType<typeof createContext>>;

export function createContext(services: Services) {
  const { config, control } = services;
  const { receiveBytes, answerBytes } = memoryShares(config.memory, config.writers);
  const bodies = new BodyReceiver(receiveBytes, config.bodyTimeout);
  const admission = new Admission(config.queryConcurrency, config.queryWait);
  const erasures = erasuresOf(services);
  const load = new TenantLoad();
  const tellingOf =
    (limit: ReachedLimit) =>
    ({ id, orgId }: Tenant): void =>
      services.webhooks?.limitReached({ org_id: orgId, project_id: id, limit });
  const failures = new FailureLimit(config.authFailuresPerMinute);
  const clients = new ClientAddresses(config.trustedProxies, config.clientAddressHeader);
  const connections = new ClientConnections({
    ...connectionBounds(config),
    addressOf: (socket) => clients.networkOf(socket),
  });
  return {
    ...services,
    gatekeeper: new Gatekeeper(control.credentials, failures),
    sessions: new SessionKeeper({ control, clients, failures, url: config.url }),
    clients,
    connections,
    bodies,
    unread: new UnreadAnswers(answerBytes),
    eventRate: new TenantRate(config.eventsPerMinute, 'events', tellingOf('events_per_minute')),
    queryRate: new TenantRate(config.queriesPerMinute, 'queries', tellingOf('queries_per_minute')),
    /** As many as queries: each starts a thread or rewrites a file, and has entries in logs that are kept. */
    gdprRate: new TenantRate(config.queriesPerMinute, 'erasures and exports', tellingOf('queries_per_minute')),
    /** Devices of erased users, by organization: each stays in the log of erasures and in its copies at backups. */
    erasedDevices: new RateWindows({ limit: config.erasedDevices, back: config.erasedDevices / 200, many: 10_000 }),
    /** New projects of organizations. */
    projectRate: new RateLimit({ limit: config.projectsPerMinute, what: 'new projects', whose: 'organization' }),
    /** What an account or admin key changes: every change has an entry in the audit trail and in the log, which are kept. */
    changeRate: new RateLimit({ limit: config.changesPerMinute, what: 'changes', whose: 'account or admin key' }),
    admission,
    turns: new EventLoopTurns(),
    /** Of organizations, to have queries read in other threads. */
    reading: new EventLoopTurns('queries that are long or have regular expressions', monotonic, 0),
    metrics: createMetrics({ ...services, connections, bodies, admission, erasures, load }),
    deletions: new ProjectDeletions({ ...services, erasures }),
    erasures,
    security: new SecurityLog(services.log, clients),
    load,
  };
}

/** In the data folder and at its backups, or shared with other nodes. */
function erasuresOf({ config, control, log }: Services): Erasures {
  if (config.control !== null) return sharedErasureLog(control);
  return new ErasureLog({
    ...{ data: config.data, hash: control.hashId.bind(control), targets: control.operator.backupTargets, log },
    buckets: bucketAccess(config),
  });
}
