import { randomUUID } from 'node:crypto';
import { fstatSync } from 'node:fs';
import { clientCommand, type ClientSession } from '../client/client-command.ts';
import { ClientError } from '../client/client-error.ts';
import {
  type ArgumentsOf,
  type OptionTable,
  UsageError,
  flag,
  optional,
  repeated,
  wholeNumberOption,
} from '../command.ts';
import { isNobody } from '../../base/no-id.ts';
import { sendBulk } from './bulk.ts';
import { checkTime, readFieldMap } from './field-map.ts';
import { mergedProperties, jsonProperties, textProperties } from './properties.ts';
import { againFor, USUAL } from './resume-command.ts';
import { sendEvents } from './send-events.ts';
import { upload } from './upload.ts';
import { isNothing } from './insert-id.ts';
import { readJson } from '../../base/text/read-json.ts';

/** Throws UsageError for an id that the server takes as missing. */
function checkIds(ids: Readonly<Record<string, string | undefined>>): void {
  for (const [name, id] of Object.entries(ids)) {
    const isMissing = id !== undefined && (isNothing(id) || id.trim() === '' || isNobody(name.replace('-', '_'), id));
    if (!isMissing) continue;
    throw new UsageError(`--${name} "${id}" counts as missing; leave the option out if there is no id`);
  }
}

const OPTIONS = {
  event_type: { type: 'string', describe: 'Name of the event; not allowed with --stdin' },
  'user-id': optional('User id'),
  'device-id': optional('Device id'),
  'session-id': optional('Session id'),
  time: optional('Time of the event, ISO 8601 [default: now]'),
  'insert-id': optional('Events with the same id are stored once [default: a new id]'),
  prop: repeated('Event property, name=value as text; repeatable'),
  'user-prop': repeated('User property, name=value; repeatable'),
  'prop-json': optional('JSON object of typed properties; takes precedence over --prop'),
  stdin: flag('Read events from stdin, one JSON object per line'),
  bulk: flag('With --stdin: stream the lines as they are; faster, but without retries, and only lines with an insert_id are deduplicated'),
  'batch-size': { type: 'number', default: USUAL['batch-size'], requiresArg: true, describe: 'With --stdin: events per request, at most 2,000' },
  concurrency: { type: 'number', default: USUAL.concurrency, requiresArg: true, describe: 'With --stdin: concurrent requests; 1 preserves the order of the lines' },
  map: optional('With --stdin: map line fields to event fields, FIELD=PATH,…; other fields become event properties; event_properties.NAME=PATH too'),
  lenient: flag('With --stdin: also store what the server has to replace or leave out, such as times that it cannot read and unknown fields'),
  'skip-bad': flag('Exit with 0 even if lines were rejected'),
  'dry-run': flag('Print what would be sent, without sending it; with --stdin, ten events and what becomes of each field'),
} as const satisfies OptionTable; // prettier-ignore

type Arguments = ArgumentsOf<typeof OPTIONS>;

export const track = clientCommand({
  usage: 'track [event_type]',
  summary: 'Send an event, or a file of events',
  examples: [
    ['wl track signup --user-id u1 --prop plan=pro', 'one event'],
    [`wl track purchase --user-id u1 --prop-json '{"amount": 12.5}'`, 'with a number'],
    ['wl track --stdin < events.jsonl', 'a file of any size, one JSON object per line'],
    ['wl track --stdin --bulk < events.jsonl', 'a large file, streamed as it is'],
    ['wl track --stdin --map event_type=type,time=created_at,user_id=actor.login < log.jsonl', 'lines with other field names'],
    ['wl track signup --prop plan=pro --dry-run', 'shows what would be sent, without sending it'],
  ],
  options: OPTIONS,
  completes: { event_type: 'event' },
  run: (args, session) => {
    if (args.bulk && !args.stdin) throw new UsageError('--bulk needs --stdin');
    if (args.lenient && !args.stdin) throw new UsageError('--lenient needs --stdin');
    return args.stdin ? trackLines(args, session) : trackOne(args, session);
  },
}); // prettier-ignore

async function trackOne(args: Arguments, { api, output, terminal }: ClientSession): Promise<number> {
  const body = JSON.stringify(eventOf(args));
  if (args['dry-run']) {
    output.json(readJson(body));
    return 0;
  }
  const { accepted, rejected, errors, warnings } = await sendEvents(api, body, 'safe', { strict: false });
  await output.record({ accepted });
  for (const { warning } of warnings) terminal.say(`wl: stored otherwise than sent: ${warning}`);
  if (rejected === 0) return 0;
  throw new ClientError(`The event was rejected: ${errors[0]?.error ?? 'it is not valid'}.`);
}

function eventOf(args: Arguments): Readonly<Record<string, unknown>> {
  if (args.event_type === undefined)
    throw new UsageError('the event type is missing; use --stdin to read events from stdin');
  checkTime(args.time);
  checkIds({
    'user-id': args['user-id'],
    'device-id': args['device-id'],
    'session-id': args['session-id'],
    'insert-id': args['insert-id'],
  });
  const text = textProperties('prop', args.prop ?? []);
  const json = args['prop-json'];
  const properties = json === undefined ? text : mergedProperties(text, jsonProperties(json));
  const users = textProperties('user-prop', args['user-prop'] ?? []);
  return {
    event_type: args.event_type,
    user_id: args['user-id'],
    device_id: args['device-id'],
    session_id: args['session-id'],
    time: args.time,
    event_properties: Object.keys(properties).length > 0 ? properties : undefined,
    user_properties: Object.keys(users).length > 0 ? users : undefined,
    insert_id: args['insert-id'] ?? randomUUID(),
  };
}

async function trackLines(args: Arguments, session: ClientSession): Promise<number> {
  refuseEventOptions(args);
  const batchSize = wholeNumberOption('batch-size', args['batch-size'], 1, 2_000); // events; the server accepts no more
  const concurrency = wholeNumberOption('concurrency', args.concurrency, 1, 16);
  const map = readFieldMap(args.map);
  const isDry = args['dry-run'];
  const strict = !args.lenient;
  if (args.bulk && (isDry || map.size > 0)) {
    throw new UsageError(`--bulk sends lines as they are: use it without --${isDry ? 'dry-run' : 'map'}`);
  }
  const size = stdinSize();
  const again = againFor(args, session.globals, size !== null);
  const { accepted, rejected, stopped } = args.bulk
    ? await sendBulk(session, { size, again, strict })
    : await upload(session, { batchSize, concurrency, map, size, strict, isDry, again });
  if (!isDry) await session.output.record({ accepted, rejected });
  if (stopped !== null) throw stopped;
  return rejected > 0 && !args['skip-bad'] ? 1 : 0;
}

/** Options for one event make no sense for many. */
function refuseEventOptions(args: Arguments): void {
  const names = ['event_type', 'user-id', 'device-id', 'session-id', 'time', 'insert-id', 'prop', 'user-prop', 'prop-json'] as const; // prettier-ignore
  const given = names.find((name) => args[name] !== undefined);
  if (given === undefined) return;
  throw new UsageError(`--stdin cannot be combined with ${given === 'event_type' ? 'an event name' : `--${given}`}`);
}

/** Bytes of stdin if it is a file. */
function stdinSize(): number | null {
  const stat = fstatSync(0);
  return stat.isFile() ? stat.size : null;
}
