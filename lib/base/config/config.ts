/**
 * Every setting of the server as data: its name, notation, range, default and one line of help. docs/configuration.md and `wl
 * serve --help` come from this table, and a test compares the page with it.
 */
import { availableParallelism } from 'node:os';
import { type AuthProvider, isProviderSetting, type ProviderSettingDescription, readAuthProviders } from './auth-providers.ts'; // prettier-ignore
import { namesBucket } from '../bucket-location.ts';
import { clickHouseLocation } from './clickhouse-location.ts';
import { postgresLocation } from './postgres-location.ts';
import { ConfigError, settingText } from './setting-source.ts';
import { defaultMemory } from './memory-shares.ts';
import {
  type SettingType,
  address,
  addressOrNone,
  backupTarget,
  oneOf,
  cidrs,
  contact,
  count,
  currency,
  decimal,
  duration,
  headerName,
  line,
  onOff,
  orNone,
  path,
  secret,
  signingSecret,
  size,
  smtpUrl,
  url,
} from './setting-types.ts';

/** `initial` is the default in the setting's own notation; null: not set. `shown` replaces it in the documentation. */
interface Setting<T> {
  readonly name: string;
  readonly type: SettingType<T>;
  readonly initial: string | null;
  readonly shown?: string;
  readonly help: string;
}

const PREFIX = 'WINDLASS_';
const MIN_SECRET = 16; // characters: shorter ones can be guessed

/** The table. A key is the field of `Config`; the setting is named `WINDLASS_` plus `name`. */
export const SETTINGS = {
  addr: setting('ADDR', address, '127.0.0.1:8080', 'Address of the HTTP API.'),
  data: setting('DATA', path, './data', 'Folder for all data of the service.'),
  store: setting('STORE', orNone(clickHouseLocation), null, 'ClickHouse in which events are stored, in place of the data folder; takes the package windlass-cluster. cluster/docs/scale.md says what that changes.', 'none: events are in the data folder'),
  control: setting('CONTROL', orNone(postgresLocation), null, 'PostgreSQL that holds organizations, projects, keys and usage, in place of the data folder; takes that package, too. cluster/docs/scale.md says what that changes.', 'none: they are in the data folder'),
  metricsAddr: setting('METRICS_ADDR', addressOrNone, '127.0.0.1:9464', 'Address of /metrics for Prometheus; `none` switches it off.'),
  url: setting('URL', orNone(url), null, 'Public address of the service, as browsers see it.', 'http:// and the address'),
  secret: setting('SECRET', orNone(secret(MIN_SECRET)), null, 'Encrypts stored secret keys and signs cookies. If not set, one is created and kept in the data folder.', 'created at the first start'),
  firstKeysFile: setting('FIRST_KEYS_FILE', orNone(path), null, 'File that gets the keys of a first start, which are not printed then. It must not exist: the start creates it, for its owner alone.', 'none: they are printed'),
  logLevel: setting('LOG_LEVEL', oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal'), 'info', 'Minimum level to log; `debug` logs every request.'),
  backupDir: setting('BACKUP_DIR', orNone(backupTarget), null, 'Folder of backups that the service makes by itself, best on another disk; or a bucket.', 'none: it makes none'),
  backupS3Endpoint: setting('BACKUP_S3_ENDPOINT', orNone(url), null, 'Address of the S3-compatible store; the bucket is the first part of each path.', "Amazon's for the region"),
  backupS3Region: setting('BACKUP_S3_REGION', line(64), 'us-east-1', 'Region of the bucket, as the store calls it.'),
  backupS3Key: setting('BACKUP_S3_KEY', orNone(secret(1)), null, 'Id of the key to the store; needed for backups in a bucket.', 'none'),
  backupS3Secret: setting('BACKUP_S3_SECRET', orNone(secret(1)), null, 'Secret of that key.', 'none'),
  backupEvery: setting('BACKUP_EVERY', duration('1m', '480h'), '24h', 'Interval between automatic backups.'),
  backupKeep: setting('BACKUP_KEEP', count(1, 10_000), '7', 'Number of newest backups to keep there.'),
  price: setting('PRICE', orNone(decimal(0, 1e9)), '5', 'Price per million events beyond the free ones; `none` removes price and bill from pages, command line and API.'),
  currency: setting('CURRENCY', currency, 'USD', 'Currency of the price, ISO 4217.'),
  freeEvents: setting('FREE_EVENTS', count(0, 1e12), '10000000', 'Events an organization may store for free in a UTC month.'),
  operator: setting('OPERATOR', orNone(line(200)), null, 'Who runs this host, shown at the foot of pages, in /llms.txt and in /openapi.json.', 'none: not shown'),
  operatorContact: setting('OPERATOR_CONTACT', orNone(contact), null, 'How people reach the operator, shown in the same places.', 'none: not shown'),
  webhookUrl: setting('WEBHOOK_URL', orNone(url), null, 'Receiver of messages for the operator: limits reached, projects created and deleted, damage found.', 'none: no messages'),
  webhookSecret: setting('WEBHOOK_SECRET', orNone(signingSecret), null, 'Signs these messages; required with WINDLASS_WEBHOOK_URL.', 'none'),
  webhookPrivate: setting('WEBHOOK_PRIVATE', onOff, 'off', 'On: the receiver may have a private, loopback or link-local address.'),
  webhookQueue: setting('WEBHOOK_QUEUE', count(1, 100_000), '1000', 'Messages that may wait for the receiver; further ones follow from the audit trail when there is room.'),
  webhookPause: setting('WEBHOOK_PAUSE', duration('10ms', '1h'), '5s', 'Pause before the first retry of a message; each later one is six times as long, up to 12 hours.'),
  alertPrivate: setting('ALERT_PRIVATE', onOff, 'off', 'On: webhooks of alerts of projects may have private, loopback and link-local addresses. Whoever writes an alert can then reach the network of the server.'),
  smtpUrl: setting('SMTP_URL', orNone(smtpUrl), null, 'Mail server for invitations, login links and warnings of limits: smtp://USER:PASSWORD@HOST:587 or smtps://…:465.', 'none: no mail'),
  mailFrom: setting('MAIL_FROM', orNone(line(200)), null, 'Sender of mail: an address, or a name and an address in angle brackets.', 'windlass@ the host of the public address'),
  mailLogin: setting('MAIL_LOGIN', onOff, 'off', 'On: who has an account or an invitation may ask for a login link by mail on the login page. Needs WINDLASS_SMTP_URL.'),
  metricsProjects: setting('METRICS_PROJECTS', count(0, 1_000), '20', 'Projects with metrics of their own: those with the most events and query time. 0: none.'),
  shutdownTimeout: setting('SHUTDOWN_TIMEOUT', duration('0ms', '1h'), '30s', 'Time running requests have to finish after SIGTERM; then they are cut off.'),
  maintenance: setting('MAINTENANCE', onOff, 'off', 'Answers 503 to everything except the health checks.'),
  queries: setting('QUERIES', onOff, 'on', 'Off: POST /query answers 503.'),
  dashboards: setting('DASHBOARDS', onOff, 'on', 'Off: endpoints of stored dashboards answer 503.'),

  threads: setting('THREADS', count(1, 256), String(availableParallelism()), 'Threads that run large queries of one organization; as many more run those of others, and two more small ones.', 'number of processor cores'),
  writers: setting('WRITERS', count(1, 64), '1', 'Threads that write events. A project always uses the same one.'),
  memory: setting('MEMORY', size('2MiB', '1024GiB'), defaultMemory(), 'Memory for caches, pending events, dictionaries and queries together. One query may use half of it.', '2GiB, or half of the machine’s where that is less'),

  bodyLimit: setting('BODY_LIMIT', size('1KiB', '256MiB'), '5MiB', 'Largest body of /track and /identify, after decompression.'),
  bodyTimeout: setting('BODY_TIMEOUT', duration('1s', '1h'), '60s', 'Time a body may take to arrive; bulk streams may take longer.'),
  batchLimit: setting('BATCH_LIMIT', count(1, 1_000_000), '2000', 'Maximum events in a batch.'),
  bulkLimit: setting('BULK_LIMIT', size('1KiB', '1024GiB'), '512MiB', 'Largest NDJSON stream, on the wire and after decompression.'),
  lineLimit: setting('LINE_LIMIT', size('1KiB', '64MiB'), '1MiB', 'Longest line of an NDJSON stream; longer lines are rejected and the rest is read.'),
  connections: setting('CONNECTIONS', orNone(count(1, 1_000_000)), null, 'Concurrent client connections; beyond it, idle ones are closed, then new ones refused. Never more than file descriptors allow.', 'what file descriptors allow, at most 10000'),
  connectionsPerAddress: setting('CONNECTIONS_PER_ADDRESS', orNone(count(1, 1_000_000)), null, 'Concurrent connections per address (IPv6: per /64); only the total limits trusted proxies.', 'three quarters of all'),
  eventsPerMinute: setting('EVENTS_PER_MINUTE', count(0, 1e12), '600000', 'Events per minute and project; ten times as many per organization. Bulk streams are slowed down instead of refused. 0: no limit.'),

  openShards: setting('OPEN_SHARDS', count(1, 100_000), '32', 'Shard files to keep open.'),
  segmentRows: setting('SEGMENT_ROWS', count(1_024, 4_194_304), '262144', 'Rows of a large segment, which compaction builds from small ones.'),
  sealRows: setting('SEAL_ROWS', count(1, 4_194_304), '131072', 'Pending events of a project at which they are sealed into a segment.'),
  sealBytes: setting('SEAL_BYTES', size('64KiB', '4GiB'), '64MiB', 'Journal bytes of a project at which they are sealed into a segment.'),
  sealAge: setting('SEAL_AGE', duration('100ms', '24h'), '10m', 'Age at which pending events are sealed.'),
  journalBytes: setting('JOURNAL_BYTES', size('1MiB', '1024GiB'), '256MiB', 'Size on disk of one writer’s journal; beyond it, projects with events in the oldest file are sealed.'),

  queryTimeout: setting('QUERY_TIMEOUT', duration('1ms', '1h'), '25s', 'Time limit of a query from its arrival, including waiting; then 504.'),
  queryLength: setting('QUERY_LENGTH', size('16', '16KiB'), '16KiB', 'Longest query text, in UTF-8.'),
  queryGroups: setting('QUERY_GROUPS', count(1, 1e9), '1000000', 'Maximum groups in one query; beyond it the answer is 400.'),
  queriesPerMinute: setting('QUERIES_PER_MINUTE', count(0, 1e9), '240', 'Queries per minute and project; ten times as many per organization. 0: no limit.'),
  queryConcurrency: setting('QUERY_CONCURRENCY', count(0, 10_000), '8', 'Concurrent queries per project; ten times as many per organization. More wait. 0: no limit.'),
  queryWait: setting('QUERY_WAIT', duration('0ms', '1h'), '5s', 'Time a query may wait for its turn; then 429.'),

  projectsPerMinute: setting('PROJECTS_PER_MINUTE', count(0, 1e9), '300', 'New projects per minute and organization; then 429. `wl admin` is exempt. 0: no limit.'),
  changesPerMinute: setting('CHANGES_PER_MINUTE', count(0, 1e9), '600', 'Changes through the management APIs per minute and account, or admin key; then 429. 0: no limit.'),
  erasedDevices: setting('ERASED_DEVICES', count(0, 1e9), '1000000', 'Devices of erased people that an organization may add to the log of erasures at once; a two-hundredth of it comes back each minute. Beyond it erasures are 429. 0: no limit.'),
  orgsPerAccount: setting('ORGS_PER_ACCOUNT', count(0, 1e9), '10', 'Organizations an account may create; then 403. The one created by its first login and those of `wl admin` do not count. 0: no limit.'),
  authFailuresPerMinute: setting('AUTH_FAILURES_PER_MINUTE', count(0, 1e9), '60', 'Failed authentications (401) per minute and client address; then 429. 0: no limit.'),
  loginsPerMinute: setting('LOGINS_PER_MINUTE', count(0, 1e9), '20', 'Login attempts per minute and client address; then 429. 0: no limit.'),
  sessionLifetime: setting('SESSION_LIFETIME', duration('5m', '8760h'), '2160h', 'Maximum lifetime of a session; one that is not used ends after 30 days.'),
  trustedProxies: setting('TRUSTED_PROXIES', cidrs, 'none', 'Peers whose headers about the client (address, location) are trusted.'),
  clientAddressHeader: setting('CLIENT_ADDRESS_HEADER', headerName, 'x-forwarded-for', 'Header in which trusted proxies send the client address.'),
  geoipFile: setting('GEOIP_FILE', orNone(path), null, 'MaxMind-format database that maps addresses to locations.', 'none'),
} as const; // prettier-ignore

type Values = {
  readonly [K in keyof typeof SETTINGS]: (typeof SETTINGS)[K] extends Setting<infer T> ? T : never;
};

/** The values of all settings. */
export interface Config extends Values {
  /** Identity providers, ordered by name. */
  readonly authProviders: readonly AuthProvider[];
}

/**
 * A setting for documentation and help. `flag` is the option of `wl serve`; secrets have none, as others can see command lines.
 */
export interface SettingDescription extends ProviderSettingDescription {
  readonly flag: string | null;
  readonly type: string;
}

/**
 * Reads each setting from its flag (`flags['query-timeout']`), else from `WINDLASS_<NAME>`, else from the file that
 * `WINDLASS_<NAME>_FILE` names, else takes its default. Throws ConfigError that names every wrong one.
 */
export function readConfig(env: NodeJS.ProcessEnv, flags: Readonly<Record<string, string | undefined>> = {}): Config {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  const read = (key: string, value: () => unknown): void => {
    try {
      values[key] = value();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(error.message);
    }
  };
  for (const [key, entry] of Object.entries<Setting<unknown>>(SETTINGS)) {
    read(key, () => readSetting(entry, env, flags));
  }
  read('authProviders', () => readAuthProviders(env));
  if (values['webhookUrl'] !== null && values['webhookSecret'] === null)
    problems.push(`${PREFIX}WEBHOOK_SECRET must be set where ${PREFIX}WEBHOOK_URL is: messages are signed.`);
  if (values['mailLogin'] === true && values['smtpUrl'] === null)
    problems.push(
      `${PREFIX}SMTP_URL must be set where ${PREFIX}MAIL_LOGIN is on: it says through which server links are sent.`,
    );
  if (values['control'] !== null && (values['store'] === null || values['secret'] === null))
    problems.push(
      `${PREFIX}STORE and ${PREFIX}SECRET must be set where ${PREFIX}CONTROL is: all nodes need the same events, and the same secret.`,
    );
  const bucketKey = values['backupS3Key'] !== null && values['backupS3Secret'] !== null;
  if (typeof values['backupDir'] === 'string' && namesBucket(values['backupDir']) && !bucketKey)
    problems.push(
      `${PREFIX}BACKUP_S3_KEY and ${PREFIX}BACKUP_S3_SECRET must be set where ${PREFIX}BACKUP_DIR is a bucket.`,
    );
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  if (!isConfig(values)) throw new Error('a setting is missing');
  return values;
}

/** Variables that look like settings but are not: most are typing errors. The caller warns about them. */
export function unknownSettings(env: NodeJS.ProcessEnv): readonly string[] {
  const known = new Set(Object.values(SETTINGS).flatMap(({ name }) => [name, `${name}_FILE`]));
  const ofClient = new Set(['API_KEY', 'HOST', 'OPERATOR_KEY', 'OPERATOR_KEY_FILE']);
  return Object.keys(env).filter((name) => {
    const bare = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : null;
    return bare !== null && !known.has(bare) && !ofClient.has(bare) && !isProviderSetting(name);
  });
}

/** All settings, in the order of the table. */
export function describeSettings(): readonly SettingDescription[] {
  return Object.values<Setting<unknown>>(SETTINGS).map((entry) => ({
    name: PREFIX + entry.name,
    flag: entry.type.secret ? null : flagOf(entry),
    type: entry.type.name,
    expects: entry.type.expects,
    initial: entry.shown ?? entry.initial ?? 'none',
    help: entry.help,
  }));
}

function setting<T>(
  name: string,
  type: SettingType<T>,
  initial: string | null,
  help: string,
  shown?: string,
): Setting<T> {
  return { name, type, initial, help, ...(shown === undefined ? {} : { shown }) };
}

function flagOf(entry: Setting<unknown>): string {
  return entry.name.toLowerCase().replaceAll('_', '-');
}

function readSetting(
  entry: Setting<unknown>,
  env: NodeJS.ProcessEnv,
  flags: Readonly<Record<string, string | undefined>>,
): unknown {
  const flag = flags[flagOf(entry)];
  const name = flag === undefined ? PREFIX + entry.name : `--${flagOf(entry)}`;
  const text = flag ?? settingText(env, PREFIX + entry.name);
  const given = text === undefined || text.trim() === '' ? entry.initial : text.trim();
  if (given === null) return null;
  try {
    return entry.type.parse(given);
  } catch {
    const shown = entry.type.secret ? '' : `, not ${JSON.stringify(given.slice(0, 200))}`;
    throw new ConfigError(`${name} must be ${entry.type.expects}${shown}.`);
  }
}

function isConfig(values: Record<string, unknown>): values is Config & Record<string, unknown> {
  return 'authProviders' in values && Object.keys(SETTINGS).every((key) => key in values);
}
