/** Assembles the service, starts it, and shuts it down. */
import type { Server } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { localUrl } from '../base/address.ts';
import { hasFaultyKeys } from '../base/text/read-json.ts';
import { refuseBackup } from '../backup/series.ts';
import { finishRestore } from '../backup/switch-over.ts';
import type { Config } from '../base/config/config.ts';
import { ControlDatabase, type Defaults, type OpenOptions } from '../control/database.ts';
import { engineAt } from '../cluster.ts';
import { priceOf } from '../control/usage/price.ts';
import { DailySalt } from '../control/storage/daily-salt.ts';
import { SharedSalt } from '../control/storage/shared-salts.ts';
import { DataLock, forgetAddress, noteAddress } from '../control/process/data-lock.ts';
import { refuseMoved } from '../control/process/moved-folder.ts';
import type { Log } from '../base/log.ts';
import { namesIn } from '../base/files/names-in.ts';
import { exposed, takeRightsAway } from '../base/files/private-files.ts';
import type { RouterContext } from '../router/context.ts';
import type { Lifecycle } from '../router/lifecycle.ts';
import { listen } from '../router/server.ts';
import type { Address } from '../base/config/setting-types.ts';
import { journalReports } from '../shards/journal/damage.ts';
import type { StoreThreads } from '../store/store-threads.ts';
import type { Mail } from '../router/mail/mail.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { alertSchedule } from './alert-schedule.ts';
import { firstDefaults } from './first-keys.ts';
import { onFatal, openStore } from './open-store.ts';
import { openOperatorSocket } from './operator-socket.ts';
import { ShardReplacements } from './replacements.ts';
import { removeHalfCopies, removeHalfMade } from '../backup/half-made.ts';
import { retentionSchedule } from './retention-schedule.ts';
import type { Registry } from 'prom-client';
import { createServer } from '../base/net/node-http.ts';
import { Exchanges } from '../router/http/exchanges.ts';

export interface RunningService {
  readonly address: Address;
  /** Its URL on this machine: `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly metricsAddress: Address | null;
  /** What the first start on a data folder created, including its keys; null on later starts. */
  readonly defaults: Defaults | null;
  /** An address that logs in as an owner of the first start's organization, once and within 10 minutes; null on later starts. */
  readonly firstLogin: (() => Promise<string>) | null;
  /** Finishes running requests (or cuts them off if that takes too long), seals what is pending, releases everything. */
  close(): Promise<void>;
}

export interface StartOptions {
  readonly config: Config;
  readonly log: Log;
  /** Opens the event store; by default the embedded one. */
  readonly store?: typeof openStore;
  /** Of these settings (startThreads), for a start during which they load; by default the store starts its own. */
  readonly threads?: StoreThreads | null;
}

/** Of this data folder, or shared with other nodes. */
function daySalt({ data, control: location }: Config, control: ControlDatabase, log: Log): DailySalt | SharedSalt {
  if (location === null) return new DailySalt(data);
  return new SharedSalt(
    () => control.sharedSalts.today(),
    (error) => log.warn({ err: error }, 'the salt of the day could not be read; it is tried again'),
  );
}

/** Who owns a host that nobody has logged in to. No provider proves this address: only links lead to its account. */
const FIRST_OWNER = 'owner@localhost';

/** Undoes one step of the start. */
type Undo = () => void | Promise<void>;

/** Starts a service. Rejects with an error for the operator if it cannot, and leaves nothing behind then. */
export async function startService(options: StartOptions): Promise<RunningService> {
  const undo: Undo[] = [];
  try {
    return await start(options, undo);
  } catch (error) {
    undo.unshift(() => options.threads?.close());
    await takeDown(undo);
    throw error;
  }
}

async function start(options: StartOptions, undo: Undo[]): Promise<RunningService> {
  const { config, log, store: open = openStore, threads = null } = options;
  refuseBackup(config.data);
  const lock = DataLock.acquire(config.data);
  undo.push(() => lock.release());
  lock.watch(onFatal);
  if (config.store === null) refuseMoved(config.data);
  finishRestore(config.data);
  forgetAddress(config.data);
  const control = await ControlDatabase.open(config.data, {
    serves: true,
    engine: engineAt(config.control),
    secret: config.secret,
    sessionLifetime: config.sessionLifetime,
    price: priceOf(config),
    ...loggedBy(log),
  });
  undo.push(() => control.close());
  await removeHalfMade(config.data, control);
  removeHalfCopies(config.data);
  closeToOthers(config.data, log);
  const retentions = retentionSchedule({ control, log });
  undo.push(() => retentions.close());
  await retentions.run();
  retentions.start();
  if (hasFaultyKeys()) log.info({ node: process.version }, 'JSON.parse of this Node may misread keys with escapes (nodejs/node#63785), so Windlass reads those itself'); // prettier-ignore
  const salt = daySalt(config, control, log);
  undo.push(() => salt.close());
  const webhooks = await startWebhooks(config, control, log);
  undo.push(() => webhooks?.close());
  await webhooks?.watch();
  const [store, { createListener }, { createContext }, { Lifecycle }, { createHttpServer }] = await Promise.all([
    open(config, log, control, (error) => webhooks?.trouble(error), threads),
    // Loads what answers requests while the store's threads start: each takes half of the time until all is ready.
    ...([import('../router/listener.ts'), import('../router/context.ts')] as const),
    ...([import('../router/lifecycle.ts'), import('../router/server.ts')] as const),
  ]);
  undo.push(() => store.close());
  if (webhooks !== null)
    for (const { file } of journalReports(join(config.data, 'journal'))) webhooks.journalDamaged(file);
  store.onUsage((totals) => control.usage.record(totals));

  const lifecycle = new Lifecycle();
  let address = config.addr; // its port may be known only once the server listens
  const publicUrl = (): string => config.url ?? localUrl(address);
  const mail = await startMail(config, control, log, publicUrl, undo);
  const context = createContext({ config, log, control, store, lifecycle, salt, publicUrl, webhooks, mail });
  undo.push(() => context.bodies.close());
  undo.push(() => context.deletions.close());
  undo.push(() => context.security.close());
  undo.push(() => context.erasures.close());
  context.erasures.watch();
  await context.deletions.finish();
  context.deletions.watch();
  const replacements = new ShardReplacements({ data: config.data, control, store, log });
  undo.push(() => replacements.close());
  await replacements.watch();
  const server = createHttpServer(createListener(context), config);
  context.connections.guard(server);
  address = await listen(server, config.addr, 'WINDLASS_ADDR');
  undo.splice(1, 0, () => shut(server)); // last but the lock: /readyz reports the shutdown until the end
  noteAddress(config.data, publicUrl());
  undo.push(() => forgetAddress(config.data));
  const socket = await openOperatorSocket(context);
  undo.push(() => shut(socket));
  const metricsAddress = await startMetrics(context, undo);
  const defaults = await firstDefaults(control, config.firstKeysFile);
  if (defaults !== null) tellOfOrphans(config.data, log);
  await startSchedules(context, undo);
  return {
    address,
    url: localUrl(address),
    metricsAddress,
    defaults,
    firstLogin: defaults === null ? null : () => firstLogin(defaults, control, publicUrl()),
    close: async () => {
      if (!(await lifecycle.drain(config.shutdownTimeout))) await cutOff(lifecycle, server, log);
      await takeDown(undo);
    },
  };
}

async function firstLogin({ organization }: Defaults, control: ControlDatabase, url: string): Promise<string> {
  const { token } = await control.logins.createLink(FIRST_OWNER, { orgId: organization.id, role: 'owner' });
  return `${url}/auth/link?token=${token}`;
}

/** Ends what is still running; streams are told what was accepted of them. */
async function cutOff(lifecycle: Lifecycle, server: Server, log: Log): Promise<void> {
  log.warn({ requests: lifecycle.running }, 'requests were still running and were cut off');
  const told = await lifecycle.cut(2_000); // for streams to store what they have taken, and to say so
  if (told > 0) await sleep(500); // their clients read it
  server.closeAllConnections();
}

/** What the control database tells. */
function loggedBy(log: Log): Pick<OpenOptions, 'onAudit' | 'onError' | 'onApart'> {
  return {
    onAudit: ({ orgId, action, actor, target, ip }) =>
      log.info({ security: action, org: orgId, actor, target, ip }, 'in the audit trail'),
    onError: (error) => log.error({ err: error }, 'usage cannot be written; it will be retried'),
    onApart: (time) =>
      log.error(
        { seconds: Math.round(time / 1_000) },
        'the clocks of this machine and of PostgreSQL are apart: events, sessions and bills get wrong times until a time server synchronizes them',
      ),
  };
}

/** A first start finds no events, unless the control database that knew their projects is gone. */
function tellOfOrphans(data: string, log: Log): void {
  const orphans = namesIn(join(data, 'shards')).length;
  if (orphans > 0)
    log.error(
      { data },
      'the folder has events of projects that its new control database does not know: restore control.db',
    );
}

/** Makes our own folders private, even those of an earlier release. What an operator has opened stays open, and is logged. */
function closeToOthers(data: string, log: Log): void {
  for (const folder of ['shards', 'journal']) takeRightsAway(join(data, folder));
  for (const { path, mode } of exposed(data)) {
    log.warn({ path, mode }, 'other accounts on this machine have access to this; remove it with chmod go=');
  }
}

/** null: no receiver is configured; then the code that sends to one is not loaded, nor Node's TLS. */
async function startWebhooks(config: Config, control: ControlDatabase, log: Log): Promise<Webhooks | null> {
  const { webhookUrl: url, webhookSecret: secret, webhookPrivate: allowPrivate } = config;
  if (url === null || secret === null) return null;
  const { webhookQueue: queue, webhookPause: pause } = config;
  const receiver = { url, secret, allowPrivate };
  const sending = await import('../webhooks/webhooks.ts');
  return new sending.Webhooks({ messages: control.operator.webhooks, receiver, queue, pause, log });
}

/** null: no mail server is configured; then the code that sends to one is not loaded. */
async function startMail(
  config: Config,
  control: ControlDatabase,
  log: Log,
  publicUrl: () => string,
  undo: Undo[],
): Promise<Mail | null> {
  if (config.smtpUrl === null) return null;
  const [{ Mailer }, { Mail: Letters }] = await Promise.all([
    import('../router/mail/mailer.ts'),
    import('../router/mail/mail.ts'),
  ]);
  const from = (): string => config.mailFrom ?? `Windlass <windlass@${new URL(publicUrl()).hostname}>`;
  const mailer = new Mailer({ url: config.smtpUrl, from, patience: 20_000, pause: 5_000, log });
  undo.push(() => mailer.close());
  return new Letters({ mailer, config, control, publicUrl, log });
}

async function startSchedules(context: RouterContext, undo: Undo[]): Promise<void> {
  undo.push(alertSchedule(context));
  const { config, control, log } = context;
  const { data, backupDir: dir, backupEvery: every, backupKeep: keep } = config;
  const { backupS3Endpoint: endpoint, backupS3Region: region } = config;
  if (dir === null) return;
  const env = {
    WINDLASS_BACKUP_S3_REGION: region,
    ...(endpoint === null ? {} : { WINDLASS_BACKUP_S3_ENDPOINT: endpoint }),
  };
  const { BackupSchedule } = await import('./backup-schedule.ts');
  const schedule = new BackupSchedule({ data, dir, env, every, keep, last: () => control.operator.lastBackup(), log });
  undo.push(() => schedule.close());
}

async function startMetrics(context: RouterContext, undo: Undo[]): Promise<Address | null> {
  const { metricsAddr } = context.config;
  if (metricsAddr === null) return null;
  const server = createMetricsServer(context.metrics.registry);
  const address = await listen(server, metricsAddr, 'WINDLASS_METRICS_ADDR');
  undo.splice(1, 0, () => shut(server));
  return address;
}

/** In the reverse order of the start; a failing step does not keep the rest from being released. */
async function takeDown(undo: Undo[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of undo.splice(0).reverse()) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, 'the shutdown failed');
}

function shut(server: Server): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
    server.closeAllConnections();
  });
}

function createMetricsServer(registry: Registry): Server {
  const server = createServer();
  const exchanges = new Exchanges((request, response) => {
    const [path] = (request.url ?? '').split('?');
    if (path !== '/metrics' || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8' });
      response.end('GET /metrics\n');
      return;
    }
    registry.metrics().then(
      (text) => {
        response.writeHead(200, { 'Content-Type': registry.contentType });
        response.end(text);
      },
      (error: unknown) => {
        response.writeHead(500, { 'Content-Type': 'text/plain; charset=utf-8' });
        response.end(`${String(error)}\n`);
      },
    );
  });
  exchanges.take(server);
  server.timeout = 10_000;
  server.maxConnections = 32; // only monitoring has anything to do here
  return server;
}
