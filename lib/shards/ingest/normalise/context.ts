/** What all events of a request share. */
import { DAY_MS } from '../../../base/day.ts';
import type { IntakeRules } from '../../../base/project.ts';
import type { IngestOrigin } from '../../event.ts';
import { STATED_FIELDS } from '../../../base/stated-fields.ts';
import { FIRST_TIME, readTime } from '../../../base/read-time.ts';
import {
  FIRST_INGEST_RULES,
  RULES_OF_IMPORTS,
  RULES_OF_STATEMENTS,
  RULES_OF_TIMES,
  type RequestContext,
} from '../../request.ts';
import type { Remarks } from './remarks.ts';

/** A sender's clock that is off by more is corrected; less may be network delay. Milliseconds. */
const CLOCK_TOLERANCE = 150_000;
/** A body that was sent longer ago is an old one sent again, and its times are right. Milliseconds. */
const MAX_SHIFT = DAY_MS;

/** A time further ahead of the server's clock counts as a mistake. Milliseconds. */
const MAX_AHEAD = DAY_MS;

/** Members that a batch may have at its root, for all its events. */
export interface BatchRoot {
  /** The sender's clock when it sent the batch, milliseconds since the epoch; NaN if it is no time; null if not given. */
  readonly sentAt: number | null;
  readonly originServer: boolean;
  readonly clientOriginated: boolean;
  /** Whether to reject events of which something would be replaced or dropped. */
  readonly strict: boolean;
}

export const NO_ROOT: BatchRoot = { sentAt: null, originServer: false, clientOriginated: false, strict: false };

/** Some clients send 1 for true. */
export const isTrue = (value: unknown): boolean => value === true || value === 1;

/** Reads the root's known members; one of a wrong type counts as missing. */
export function batchRoot(body: object): BatchRoot {
  return {
    sentAt: 'sent_at' in body && body.sent_at !== null ? (readTime(body.sent_at) ?? NaN) : null,
    originServer: 'origin' in body && body.origin === 'server',
    clientOriginated: 'clientOriginated' in body && isTrue(body.clientOriginated),
    strict: 'strict' in body && isTrue(body.strict),
  };
}

export interface EventContext {
  /** When the server received the events, milliseconds since the epoch. */
  readonly receivedAt: number;
  /** Milliseconds to add to the events' times, by which the sender's clock was off. */
  readonly clockShift: number;
  /** Why the sender's clock, although it was sent, was not used; null if it was, or was within the tolerance. */
  readonly clockIgnored: string | null;
  /** Earlier events are expired; -Infinity if none are. */
  readonly expiresBefore: number;
  /** Whether the sender is a server. */
  readonly trusted: boolean;
  /** Fields by which events may say what would be found out otherwise. */
  readonly stated: ReadonlySet<string>;
  /** Whether blank ids and event types count, as under the first rules. */
  readonly blankIsText: boolean;
  /** Whether words such as `guest` are device ids, as under the rules before `RULES_OF_TIMES`. */
  readonly nobodyIsId: boolean;
  /** Whether identifies may date their changes; else these apply in the order of arrival. */
  readonly isDated: boolean;
  /** Whether what would be replaced or dropped rejects its event. */
  readonly strict: boolean;
  readonly root: BatchRoot;
}

/** The context for the events of a request body; `root` is that of its batch. */
export function eventContext(request: RequestContext, project: IntakeRules, root: BatchRoot = NO_ROOT): EventContext {
  const off = root.sentAt === null ? 0 : request.receivedAt - root.sentAt;
  const days = project.retentionDays;
  const rules = request.rules ?? Infinity;
  const mayShift = rules < RULES_OF_TIMES || Math.abs(off) <= MAX_SHIFT;
  return {
    receivedAt: request.receivedAt,
    clockShift: mayShift && Math.abs(off) > CLOCK_TOLERANCE ? off : 0,
    clockIgnored: Number.isNaN(off) ? NO_TIME : mayShift ? null : 'is more than 24 hours from the time of arrival',
    expiresBefore: days === null ? -Infinity : request.receivedAt - days * DAY_MS,
    trusted: request.keyKind === 'trusted',
    stated: statedBy(request, rules),
    blankIsText: request.rules === FIRST_INGEST_RULES,
    nobodyIsId: rules < RULES_OF_TIMES,
    isDated: rules >= RULES_OF_TIMES,
    strict: request.strict === true || root.strict,
    root,
  };
}

const BEFORE_IMPORTS: ReadonlySet<string> = new Set(['ip', 'user_agent', ...STATED_FIELDS]);
const BY_SERVERS: ReadonlySet<string> = new Set([...BEFORE_IMPORTS, 'import_id']);
const BY_APPS: ReadonlySet<string> = new Set(['user_agent', '_os', '_os_version', '_device_type', '_platform']);
const BEFORE_STATEMENTS: ReadonlySet<string> = new Set(['ip', 'user_agent']);
const NOTHING: ReadonlySet<string> = new Set();

function statedBy({ keyKind, ofApps }: RequestContext, rules: number): ReadonlySet<string> {
  if (keyKind === 'trusted') {
    if (rules >= RULES_OF_IMPORTS) return BY_SERVERS;
    return rules >= RULES_OF_STATEMENTS ? BEFORE_IMPORTS : BEFORE_STATEMENTS;
  }
  return ofApps === true ? BY_APPS : NOTHING;
}

const NO_TIME = 'cannot be read as a time';

/** The time that was sent, milliseconds since the epoch; the server's if none was, or none that an event can have, which is remarked. */
export function sentTime(value: unknown, context: EventContext, remarks: Remarks): number {
  if (value === undefined || value === null) return context.receivedAt;
  const read = readTime(value);
  const time = (read ?? NaN) + context.clockShift;
  if (mayBe(time, context)) return time;
  const isAhead = time > context.receivedAt;
  remarks.timeReplaced(
    'time',
    read === null ? NO_TIME : isAhead ? 'lies more than 24 hours ahead' : 'lies before the year 0',
    value,
  );
  return context.receivedAt;
}

/** The time of a scanned event: the same, but NaN stands for none sent, and for one that `sentTime` has to judge. */
export function scannedTime(sent: number, context: EventContext): number {
  if (Number.isNaN(sent)) return context.receivedAt;
  const time = sent + context.clockShift;
  return mayBe(time, context) ? time : NaN;
}

const mayBe = (time: number, { receivedAt }: EventContext): boolean =>
  time <= receivedAt + MAX_AHEAD && time >= FIRST_TIME;

/** The origin of an event, from its own members and the root of its batch. */
export function eventOrigin(originServer: boolean, clientOriginated: boolean, context: EventContext): IngestOrigin {
  if (originServer || context.root.originServer) return 'server';
  return clientOriginated || context.root.clientOriginated || !context.trusted ? 'client' : 'unknown';
}
