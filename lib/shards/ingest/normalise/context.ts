/** What all events of a request share. */
import { DAY_MS } from '../../../base/day.ts';
import type { IntakeRules } from '../../../base/project.ts';
import type { IngestOrigin } from '../../event.ts';
import { FIRST_INGEST_RULES, type RequestContext } from '../../request.ts';
import { type BatchRoot, NO_ROOT } from './batch-root.ts';
import { FIRST_TIME } from './time.ts';

/** A sender's clock that is off by more is corrected; less may be network delay. Milliseconds. */
const CLOCK_TOLERANCE = 150_000;

/** A time further ahead of the server's clock counts as a mistake. Milliseconds. */
const MAX_AHEAD = DAY_MS;

export interface EventContext {
  /** When the server received the events, milliseconds since the epoch. */
  readonly receivedAt: number;
  /** Milliseconds to add to the events' times, by which the sender's clock was off. */
  readonly clockShift: number;
  /** Earlier events are expired; -Infinity if none are. */
  readonly expiresBefore: number;
  /** Whether events may set `ip` and `user_agent`. */
  readonly trusted: boolean;
  /** Whether blank ids and event types count, as under the first rules. */
  readonly blankIsText: boolean;
  readonly root: BatchRoot;
}

/** The context for the events of a request body; `root` is that of its batch. */
export function eventContext(request: RequestContext, project: IntakeRules, root: BatchRoot = NO_ROOT): EventContext {
  const off = root.sentAt === null ? 0 : request.receivedAt - root.sentAt;
  const days = project.retentionDays;
  return {
    receivedAt: request.receivedAt,
    clockShift: Math.abs(off) > CLOCK_TOLERANCE ? off : 0,
    expiresBefore: days === null ? -Infinity : request.receivedAt - days * DAY_MS,
    trusted: request.keyKind === 'trusted',
    blankIsText: request.rules === FIRST_INGEST_RULES,
    root,
  };
}

/**
 * The time of an event, milliseconds since the epoch: the sent time corrected by the sender's clock, or the server's time if none
 * was sent (NaN) or it lies more than a day ahead.
 */
export function eventTime(sent: number, context: EventContext): number {
  const time = sent + context.clockShift;
  return time <= context.receivedAt + MAX_AHEAD && time >= FIRST_TIME ? time : context.receivedAt;
}

/** The origin of an event, from its own members and the root of its batch. */
export function eventOrigin(originServer: boolean, clientOriginated: boolean, context: EventContext): IngestOrigin {
  if (originServer || context.root.originServer) return 'server';
  return clientOriginated || context.root.clientOriginated || !context.trusted ? 'client' : 'unknown';
}
