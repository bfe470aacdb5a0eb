/** What the commands that talk to a server share. */
import {
  type ArgumentsOf,
  type Command,
  type CommandSpec,
  defineCommand,
  type OptionTable,
  UsageError,
} from '../command.ts';
import type { Terminal } from '../terminal.ts';
import { ApiClient } from './api-client.ts';
import { type OutputFormat, GLOBAL_OPTIONS, type Globals, readGlobals } from './global-options.ts';
import { Output } from './output.ts';
import { Settings } from './settings.ts';
import { Interrupted, ClientError } from './client-error.ts';
import { isRecord, type JsonRecord } from '../../base/is-record.ts';

/** What a command works with. */
export interface ClientSession {
  readonly api: ApiClient;
  readonly settings: Settings;
  readonly output: Output;
  readonly terminal: Terminal;
  readonly globals: Globals;
  /** Aborted when the user interrupts the command. */
  readonly signal: AbortSignal;
}

interface ClientSpec<O extends OptionTable> extends Omit<CommandSpec<O>, 'run' | 'shared'> {
  /** Formats it supports; default: table and JSON. */
  readonly formats?: readonly OutputFormat[];
  /** Returns the exit code; nothing: 0. */
  run(args: ArgumentsOf<O>, session: ClientSession): Promise<number | void>;
}

/** A client with another host and key than configured. */
export function apiFor(
  { globals, signal, terminal }: ClientSession,
  flags: { host: string; apiKey: string },
): ApiClient {
  const settings = new Settings({ flags, env: {}, folder: process.cwd() });
  return new ApiClient({ settings, timeout: globals.timeout, signal, notify: (text) => terminal.say(`wl: ${text}`) });
}

const DEFAULT_FORMATS: readonly OutputFormat[] = ['table', 'json'];

/** A command with the global options. */
export function clientCommand<const O extends OptionTable>(spec: ClientSpec<O>): Command {
  return defineCommand({
    ...spec,
    shared: GLOBAL_OPTIONS,
    run: async (args, terminal) => {
      const globals = readGlobals(args);
      if (globals.quiet) terminal.hush();
      const output = new Output(formatFor(spec, globals, terminal), terminal, globals.color);
      return interruptible(async (signal) => {
        const settings = new Settings({ flags: globals, env: process.env, folder: process.cwd() });
        const notify = (text: string): void => terminal.say(`wl: ${text}`);
        for (const name of settings.ignored) notify(name);
        using api = new ApiClient({ settings, timeout: globals.timeout, signal, notify });
        return (await spec.run(args, { api, settings, output, terminal, globals, signal })) ?? 0;
      });
    },
  });
}

/** Before anything is sent: a command that lacks the format does nothing. */
function formatFor(
  { usage, formats = DEFAULT_FORMATS }: { usage: string; formats?: readonly OutputFormat[] },
  { format }: Globals,
  { stdout }: Terminal,
): OutputFormat {
  const chosen = format ?? (stdout.isTTY === true ? 'table' : 'json');
  if (formats.includes(chosen)) return chosen;
  const [name = usage] = usage.split(/ [<[]/, 1);
  throw new UsageError(`\`${name}\` supports ${formats.join(' or ')} output, not ${chosen}`);
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Runs a command that Ctrl-C ends cleanly: `signal` is aborted with `Interrupted`, and current writes finish. A second signal
 * ends the process at once.
 */
async function interruptible<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => {
    const reason = new Interrupted(signal === 'SIGTERM' ? signal : 'SIGINT');
    if (controller.signal.aborted) process.exit(reason.exitCode);
    controller.abort(reason);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  try {
    return await run(controller.signal);
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}

/** Throws ClientError for anything but a JSON object. */
export function asRecord(value: unknown): JsonRecord {
  if (isRecord(value)) return value;
  throw unexpected('an object');
}

/** Throws ClientError for anything but an array of JSON objects. */
export function asRecords(value: unknown): readonly JsonRecord[] {
  if (Array.isArray(value) && value.every(isRecord)) return value;
  throw unexpected('a list of objects');
}

function unexpected(what: string): ClientError {
  return new ClientError(`The server's answer is not ${what}: is it a Windlass server of this version? See: wl health`);
}

/** An id as a path segment. Throws ClientError for what would change the path: nothing, `.` and `..`. */
export function pathSegment(id: string, what: string): string {
  if (id === '' || id === '.' || id === '..') throw new ClientError(`${JSON.stringify(id)} is not a valid ${what} id.`);
  return encodeURIComponent(id);
}
