/** The numbers of the service for Prometheus. docs/operations.md lists them; a test keeps the two in step. */
import { statfsSync } from 'node:fs';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Config } from '../base/config/config.ts';
import type { ControlDatabase } from '../control/database.ts';
import type { Erasures } from '../erasures/erasures.ts';
import type { Mail } from './mail/mail.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import type { EventStore, StoreStats } from '../store/event-store.ts';
import { memoryShares } from '../base/config/memory-shares.ts';
import { VERSION } from '../base/version.ts';
import type { Admission } from './limits/admission.ts';
import type { BodyReceiver } from './http/body.ts';
import type { ClientConnections } from './http/connections.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { TenantCounts, TenantLoad } from './limits/tenant-load.ts';

/** Seconds; from an answer out of memory to the query timeout. */
const BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25];

const STORE_NUMBERS: readonly (readonly [key: keyof StoreStats, name: string, help: string])[] = [
  ['openShards', 'windlass_store_open_shards', 'Open shard files.'],
  ['cacheBytes', 'windlass_store_cache_bytes', 'Bytes of decoded columns in memory.'],
  ['journalBytes', 'windlass_store_journal_bytes', 'Bytes of journals on disk, including files kept for reuse.'],
  ['journalDamagedFiles', 'windlass_store_journal_damaged_files', 'Damaged journal files set aside.'],
  ['journalLostRecords', 'windlass_store_journal_lost_records', 'Unreadable requests in damaged journal files.'],
  ['journalLostBytes', 'windlass_store_journal_lost_bytes', 'Unreadable bytes in damaged journal files.'],
  [
    'pendingRows',
    'windlass_store_pending_rows',
    'Events in memory waiting to be sealed; others of thousands of projects may wait in the journal alone.',
  ],
  ['queuedBytes', 'windlass_store_queued_bytes', 'Bytes of bodies waiting for a writer.'],
  ['workerRestarts', 'windlass_store_worker_restarts_total', 'Query threads that died or were replaced.'],
  ['busyThreads', 'windlass_query_threads_busy', 'Busy query threads.'],
  ['seals', 'windlass_store_seals_total', 'Segments sealed.'],
  ['sealSeconds', 'windlass_store_seal_seconds_total', 'Time spent sealing.'],
  ['sealFailures', 'windlass_store_seal_failures_total', 'Failed seals; they are tried again.'],
  ['pendingSeconds', 'windlass_store_oldest_pending_seconds', 'Age of the oldest event waiting to be sealed; 0: none.'],
  ['compactions', 'windlass_store_compactions_total', 'Compactions of segments.'],
];

interface Sources {
  readonly store: EventStore;
  readonly lifecycle: Lifecycle;
  readonly connections: ClientConnections;
  readonly bodies: BodyReceiver;
  readonly admission: Admission;
  readonly control: Pick<ControlDatabase, 'operator' | 'answers'>;
  readonly erasures: Pick<Erasures, 'behind'>;
  readonly load: Pick<TenantLoad, 'largest' | 'shares'>;
  readonly webhooks: Pick<Webhooks, 'counts'> | null;
  readonly mail: Pick<Mail, 'counts'> | null;
  readonly config: Pick<Config, 'data' | 'memory' | 'metricsProjects' | 'writers' | 'journalBytes' | 'threads'>;
}

export function createMetrics(sources: Sources) {
  const registry = new Registry();
  const registers = [registry];
  // How often the delay of the event loop is measured: at 10 ms, as it comes, that is what wakes a service without
  // requests.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 50 });
  addReadings(registry, sources);
  addProjects(registry, sources);
  const requests = new Counter({ name: 'windlass_http_requests_total', help: 'Requests answered.', labelNames: ['endpoint', 'status'], registers });
  const durations = new Histogram({ name: 'windlass_http_request_seconds', help: 'Time of requests.', labelNames: ['endpoint'], buckets: BUCKETS, registers });
  const accepted = new Counter({ name: 'windlass_events_accepted_total', help: 'Events accepted.', registers });
  const rejected = new Counter({ name: 'windlass_events_rejected_total', help: 'Invalid events.', registers });
  const bytes = new Counter({ name: 'windlass_ingest_bytes_total', help: 'Bytes of bodies with events.', registers });
  const acknowledged = new Histogram({ name: 'windlass_ingest_ack_seconds', help: 'Time from the last byte of a body until its events were on disk.', buckets: BUCKETS, registers });
  const timeouts = new Counter({ name: 'windlass_query_timeouts_total', help: 'Queries that took too long (504).', registers });
  const queries = new Histogram({ name: 'windlass_query_seconds', help: 'Time of queries, without the wait.', buckets: BUCKETS, registers });
  const waits = new Histogram({ name: 'windlass_query_wait_seconds', help: 'Time that queries waited for a thread.', buckets: [0.001, ...BUCKETS], registers });
  const refusals = new Counter({ name: 'windlass_refusals_total', help: 'Requests refused.', labelNames: ['reason'], registers });
  const scanned = new Counter({ name: 'windlass_query_rows_scanned_total', help: 'Rows that queries scanned.', registers });
  /** By endpoint and status, which are few: looking them up by labels takes longer than counting. */
  const known = new Map<string, [Counter.Internal, Histogram.Internal<'endpoint'>]>();
  return {
    registry,
    /** Counts an answered request; `seconds` from its arrival to its last byte. */
    request: (endpoint: string, status: number, seconds: number): void => {
      const of = `${endpoint} ${status}`;
      let own = known.get(of);
      if (own === undefined) known.set(of, (own = [requests.labels(endpoint, String(status)), durations.labels(endpoint)]));
      own[0].inc();
      own[1].observe(seconds);
      if (status === 504) timeouts.inc();
    },
    /** Counts a refused request by its error code. */
    refused: (reason: string): void => refusals.inc({ reason }),
    /** Counts the time a query waited for its turn. */
    waited: (seconds: number): void => waits.observe(seconds),
    /** Counts bytes of bodies for the store, after decompression of streams. */
    received: (length: number): void => bytes.inc(length),
    /** Counts an acknowledged body; `seconds` from its last byte until its events were on disk. */
    acknowledged: (seconds: number): void => acknowledged.observe(seconds),
    events: (good: number, bad: number): void => {
      if (good > 0) accepted.inc(good);
      if (bad > 0) rejected.inc(bad);
    },
    /** Counts a query that ran. */
    query: (seconds: number, rows: number): void => {
      queries.observe(seconds);
      scanned.inc(rows);
    },
  };
} // prettier-ignore

/** Read on each scrape. A name that ends in `_total` only ever grows. */
type Reading = readonly [name: string, help: string, read: () => number | Promise<number>];

function addReadings(registry: Registry, sources: Sources): void {
  const labelNames = ['version'];
  const build = { name: 'windlass_build_info', help: 'The running version.', labelNames, registers: [registry] };
  new Gauge(build).labels(VERSION).set(1);
  for (const [name, help, read] of [...ofService(sources), ...ofHost(sources), ...ofStore(sources)]) {
    const about = { name, help, registers: [registry] };
    if (name.endsWith('_total')) {
      const made: Counter = new Counter({
        ...about,
        collect: async () => {
          const value = await read();
          made.reset();
          made.inc(value);
        },
      });
    } else {
      const made: Gauge = new Gauge({ ...about, collect: async () => made.set(await read()) });
    }
  }
}

/** Of the largest projects alone: each label is a series that Prometheus keeps. */
function addProjects(registry: Registry, { load, config }: Sources): void {
  for (const [name, help, read] of OF_PROJECTS) {
    const made: Counter<'project'> = new Counter({
      ...{ name, help, labelNames: ['project'], registers: [registry] },
      collect: () => {
        made.reset();
        for (const [project, counts] of load.largest(config.metricsProjects)) made.inc({ project }, read(counts));
      },
    });
  }
}

const OF_PROJECTS: readonly (readonly [name: string, help: string, read: (counts: TenantCounts) => number])[] = [
  ['windlass_project_events_total', 'Events accepted, of the largest projects.', ({ events }) => events],
  [
    'windlass_project_received_bytes_total',
    'Bytes of bodies with events, of the largest projects.',
    ({ bytes }) => bytes,
  ],
  ['windlass_project_queries_total', 'Queries answered, of the largest projects.', ({ queries }) => queries],
  [
    'windlass_project_query_seconds_total',
    'Time of queries, of the largest projects.',
    ({ queryMs }) => queryMs / 1_000,
  ],
  [
    'windlass_project_refusals_total',
    'Requests refused by a limit or a suspension, of the largest projects.',
    ({ refused }) => refused,
  ],
];

function ofService({ store, lifecycle, control, connections, bodies, admission, load, config }: Sources): readonly Reading[] {
  const { receiveBytes } = memoryShares(config.memory, config.writers);
  const { events, queries } = load.shares;
  return [
    ['windlass_ready', '1 while /readyz says ready.', () => (store.ready().ok && control.answers && !lifecycle.draining ? 1 : 0)],
    ['windlass_http_requests_running', 'Requests being answered.', () => lifecycle.running],
    ['windlass_http_connections', 'Open connections of clients.', () => connections.open],
    ['windlass_http_connections_limit', 'Limit of open connections.', () => connections.limit],
    ['windlass_http_connections_refused_total', 'Connections refused because there were too many.', () => connections.counts.refused],
    ['windlass_http_connections_cut_total', 'Idle connections that were closed.', () => connections.counts.cut],
    ['windlass_http_received_bytes', 'Bytes of incomplete bodies.', () => bodies.receivedBytes],
    ['windlass_http_received_bytes_limit', 'Limit of the bytes of incomplete bodies.', () => receiveBytes],
    ['windlass_queries_running', 'Queries running.', () => admission.load.running],
    ['windlass_queries_waiting', 'Queries waiting for a thread.', () => admission.load.waiting],
    ['windlass_query_threads', 'Query threads.', () => config.threads],
    ['windlass_largest_project_event_share', 'Share of the busiest project in the events of the last whole minute.', () => events.largest],
    ['windlass_largest_project_query_share', 'Share of the busiest project in the query time of the last whole minute.', () => queries.largest],
  ];
} // prettier-ignore

function ofHost({ control: { operator }, erasures, mail, webhooks, config }: Sources): readonly Reading[] {
  const age = (since: number | null): number => (since === null ? 0 : (Date.now() - since) / 1_000);
  return [
    ['windlass_disk_free_bytes', 'Free bytes on the disk of the data folder.', () => {
      const { bavail, bsize } = statfsSync(config.data);
      return bavail * bsize;
    }],
    ['windlass_last_backup_timestamp_seconds', 'When the last backup ended; 0: never.', async () => (await operator.lastBackup() ?? 0) / 1_000],
    ['windlass_last_backup_damaged_projects', 'Damaged projects that the last backup could not copy.', () => operator.damagedInLastBackup()],
    ['windlass_erasures_unlogged_targets', 'Backup targets whose log of erasures lacks entries.', async () => (await erasures.behind()).targets],
    ['windlass_erasures_unlogged_seconds', 'Age of the oldest erasure that a backup target lacks; 0: none.', async () => age((await erasures.behind()).since)],
    ['windlass_webhooks_waiting', 'Messages waiting for the receiver.', async () => (await operator.webhooks.waiting()).count],
    ['windlass_webhooks_oldest_seconds', 'Age of the oldest waiting message; 0: none.', async () => age((await operator.webhooks.waiting()).since)],
    ['windlass_webhooks_delivered_total', 'Delivered messages.', () => webhooks?.counts.delivered ?? 0],
    ['windlass_webhook_failures_total', 'Failed tries to deliver a message.', () => webhooks?.counts.failed ?? 0],
    ['windlass_mails_sent_total', 'Letters that the mail server took.', () => mail?.counts.sent ?? 0],
    ['windlass_mail_failures_total', 'Failed tries to send a letter.', () => mail?.counts.failed ?? 0],
    ['windlass_mails_lost_total', 'Letters that are no longer tried.', () => mail?.counts.lost ?? 0],
    ['windlass_webhooks_given_up_total', 'Messages that are no longer tried.', () => webhooks?.counts.givenUp ?? 0],
  ];
} // prettier-ignore

function ofStore({ store, config }: Sources): readonly Reading[] {
  const { queueBytes } = memoryShares(config.memory, config.writers);
  return [
    ...STORE_NUMBERS.map(([key, name, help]): Reading => [name, help, () => store.stats()[key]]),
    ['windlass_store_queued_bytes_limit', 'Limit of the bytes of bodies waiting for a writer.', () => queueBytes * config.writers],
    ['windlass_store_journal_bytes_limit', 'Limit of the bytes of journals on disk.', () => config.journalBytes * config.writers],
  ];
} // prettier-ignore
