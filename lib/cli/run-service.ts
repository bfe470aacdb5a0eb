import { formatAddress } from '../base/address.ts';
import { type Config, readConfig, unknownSettings } from '../base/config/config.ts';
import { checkDescriptors } from '../base/config/descriptors.ts';
import type { Defaults } from '../control/database.ts';
import { firstOf, messageOf } from '../base/errors.ts';
import { PRIVATE_UMASK } from '../base/files/private-files.ts';
import { createLog, type Log } from '../base/log.ts';
import { VERSION } from '../base/version.ts';
import type { RunningService } from '../server/service.ts';
import { keyLines } from '../server/first-keys.ts';
import { startThreads } from '../server/start-threads.ts';
import { tell } from './tell.ts';
import type { Terminal } from './terminal.ts';
import fs from 'node:fs';
import { openedFile } from '../base/files/opened-file.ts';
import { fileSize } from '../base/files/file-size.ts';
import { ConfigError } from '../base/config/setting-source.ts';

/** `wl serve` without an option, the most frequent line: to parse it would be a tenth of the start. Returns the exit code. */
export async function serveByEnvironment(terminal: Terminal): Promise<number> {
  try {
    return await runService({}, terminal);
  } catch (error) {
    tell(firstOf(error), terminal, { help: 'wl serve --help', noColor: false });
    return 1;
  }
}

/** Serves until a signal ends it; `flags` go before the environment's settings. Returns the exit code. */
export async function runService(flags: Readonly<Record<string, string>>, terminal: Terminal): Promise<number> {
  process.umask(PRIVATE_UMASK); // before any thread: it applies to the whole process
  const config = readConfig(process.env, flags);
  if (config.store === null) checkDescriptors(config);
  if (config.geoipFile !== null) checkLocationFile(config.geoipFile);
  const log = createLog(config.logLevel);
  for (const name of unknownSettings(process.env)) log.warn({ setting: name }, 'no such setting; it has no effect');
  exitOnBugs(log);
  const threads = startThreads(config);
  const { startService } = await import('../server/service.ts'); // loads while the threads do
  const service = await startService({ config, log, threads });
  if (service.defaults !== null) {
    // Only to a person at a terminal: what a container prints is kept in a log.
    const link = terminal.stdout.isTTY === true ? await service.firstLogin?.() : undefined;
    terminal.print(firstLines(service.defaults, config, link ?? null));
  }
  const told = untilTold(log); // before anybody knows that it runs: an earlier signal would end it at once
  terminal.print(readyLine(service, config.data));
  await told;
  const code = await stop(service, log);
  // How long after the end the process may hang on an unclosed handle.
  setTimeout(() => process.exit(code), 2_000).unref();
  return code;
}

/** Returns the exit code. What cannot be closed, on a full disk for instance, must not keep the process. */
async function stop(service: RunningService, log: Log): Promise<number> {
  try {
    await service.close();
    log.info('stopped');
    return 0;
  } catch (error) {
    log.error({ err: error }, 'stopped, but not all could be closed; acknowledged events are in the journal');
    return 1;
  }
}

const USUAL_DATA = './data'; // what `wl admin` takes, too

/** On stdout, which nobody collects as a log but in containers. `link`: what logs in. */
function firstLines(defaults: Defaults, { data, firstKeysFile }: Config, link: string | null): string {
  const folder = data === USUAL_DATA ? '' : ` --data ${/^[\w./-]+$/.test(data) ? data : JSON.stringify(data)}`;
  const keys =
    firstKeysFile === null
      ? ['First start. These keys are shown once:', ...keyLines(defaults)]
      : [`First start. The keys are in ${firstKeysFile}: keep them elsewhere, and remove it.`];
  const login = `wl admin login-link --email you@example.com${folder}`;
  if (link === null) return [...keys, `Log in with a link: ${login}`, ''].join('\n');
  return [
    ...keys,
    'Open this to log in, once and within 10 minutes:',
    `  ${link}`,
    `Another link, also for others: ${login}`,
    '',
  ].join('\n');
}

function readyLine({ url, metricsAddress }: RunningService, data: string): string {
  const metrics = metricsAddress === null ? '' : `, metrics on ${formatAddress(metricsAddress)}`;
  return `Windlass ${VERSION} is ready on ${url} (data in ${data}${metrics})`;
}

/** Resolves at the first SIGTERM or SIGINT; the second ends the process at once. */
function untilTold(log: Log): Promise<void> {
  return new Promise((resolve) => {
    let told = false;
    const onSignal = (signal: NodeJS.Signals): void => {
      if (told) {
        log.warn({ signal }, 'stopped at once; the next start replays the journal');
        process.exit(1);
      }
      told = true;
      log.info({ signal }, 'stopping once running requests have finished');
      resolve();
    };
    process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  });
}

/** After a bug the state is unknown: the process ends, and acknowledged events are in the journal. */
function exitOnBugs(log: Log): void {
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'a bug: exiting');
    process.exit(1);
  });
  process.on('unhandledRejection', (reason) => {
    log.fatal({ err: reason }, 'a bug: exiting');
    process.exit(1);
  });
}

/** What begins the description of a database in MaxMind's format, and within how many of its last bytes it stands. */
const MARK = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
const DESCRIPTION_BYTES = 131_072;

/** Throws ConfigError if the file of WINDLASS_GEOIP_FILE cannot be read, or holds something else. */
function checkLocationFile(file: string): void {
  const end = Buffer.alloc(DESCRIPTION_BYTES);
  try {
    using read = openedFile(file, 'r');
    fs.readSync(read.fd, end, 0, end.length, Math.max(0, fileSize(file) - end.length));
  } catch (error) {
    throw new ConfigError(`WINDLASS_GEOIP_FILE names a file that cannot be read: ${messageOf(error)}`);
  }
  if (!end.includes(MARK))
    throw new ConfigError(`WINDLASS_GEOIP_FILE: ${file} is no database in MaxMind format (.mmdb)`);
}
