/** What the endpoints share: the services behind them, and the limits in front. */
import type { Config } from '../config.ts';
import type { ControlDatabase } from '../control/database.ts';
import type { Log } from '../log.ts';
import type { EventStore } from '../workers/event-store.ts';
import { Admission } from './admission.ts';
import { BodyReceiver } from './body.ts';
import { ClientAddresses } from './client-address.ts';
import { Gatekeeper } from './credentials.ts';
import { FailureLimit } from './failure-limit.ts';
import type { Lifecycle } from './lifecycle.ts';
import { createMetrics } from './metrics.ts';
import type { Metrics } from './metrics.ts';
import { RateLimit } from './rate-limit.ts';

/** What is behind the endpoints. */
export interface Services {
  readonly config: Config;
  readonly log: Log;
  readonly control: ControlDatabase;
  readonly store: EventStore;
  readonly lifecycle: Lifecycle;
}

export interface RouterContext extends Services {
  readonly gatekeeper: Gatekeeper;
  readonly clients: ClientAddresses;
  readonly bodies: BodyReceiver;
  readonly eventRate: RateLimit;
  readonly queryRate: RateLimit;
  readonly admission: Admission;
  readonly metrics: Metrics;
}

export function createContext(services: Services): RouterContext {
  const { config, control } = services;
  const bodies = new BodyReceiver(config.receiveBytes, config.bodyTimeout);
  const admission = new Admission(config.queryConcurrency, config.queryWait);
  return {
    ...services,
    gatekeeper: new Gatekeeper(control, new FailureLimit(config.authFailuresPerMinute)),
    clients: new ClientAddresses(config.trustedProxies, config.clientAddressHeader),
    bodies,
    eventRate: new RateLimit(config.eventsPerMinute, 'events'),
    queryRate: new RateLimit(config.queriesPerMinute, 'queries'),
    admission,
    metrics: createMetrics({ ...services, bodies, admission }),
  };
}
