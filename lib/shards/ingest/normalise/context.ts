/** What is the same for all events of a request. */
import type { IntakeRules } from '../../../base/project.ts';
import type { IngestOrigin } from '../../event.ts';
import { FIRST_INGEST_RULES, type RequestContext } from '../../request.ts';
import { type BatchRoot, NO_ROOT } from './batch-root.ts';
import { FIRST_TIME } from './time.ts';

const DAY = 86_400_000;

/** A sender's clock that is off by more than this is corrected; less may be the way through the network. Milliseconds. */
const CLOCK_TOLERANCE = 150_000;

/** A time further ahead of the server's is taken for a mistake. Milliseconds. */
const MAX_AHEAD = DAY;

export interface EventContext {
  /** The server's time of the events, milliseconds since the epoch. */
  readonly receivedAt: number;
  /** What is added to the times of events: the sender's clock was off by so many milliseconds. */
  readonly clockShift: number;
  /** Events before it are expired. -Infinity: none are. */
  readonly expiresBefore: number;
  /** Whether events may set `ip` and `user_agent`. */
  readonly trusted: boolean;
  /** Whether ids and event types of nothing but white space count: under the first rules they did. */
  readonly blankIsText: boolean;
  readonly root: BatchRoot;
}

/** The context of the events of one request body; `root` is that of its batch. */
export function eventContext(request: RequestContext, project: IntakeRules, root: BatchRoot = NO_ROOT): EventContext {
  const off = root.sentAt === null ? 0 : request.receivedAt - root.sentAt;
  const days = project.retentionDays;
  return {
    receivedAt: request.receivedAt,
    clockShift: Math.abs(off) > CLOCK_TOLERANCE ? off : 0,
    expiresBefore: days === null ? -Infinity : request.receivedAt - days * DAY,
    trusted: request.keyKind === 'trusted',
    blankIsText: request.rules === FIRST_INGEST_RULES,
    root,
  };
}

/**
 * The time of an event, milliseconds since the epoch, from the time it was sent with (NaN: none, or none that is one): corrected
 * by the sender's clock; the server's time when there is none or it lies more than a day ahead.
 */
export function eventTime(sent: number, context: EventContext): number {
  const time = sent + context.clockShift;
  return time <= context.receivedAt + MAX_AHEAD && time >= FIRST_TIME ? time : context.receivedAt;
}

/** Where an event came from, as it says itself and the root of its batch says for all. */
export function eventOrigin(originServer: boolean, clientOriginated: boolean, context: EventContext): IngestOrigin {
  if (originServer || context.root.originServer) return 'server';
  return clientOriginated || context.root.clientOriginated || !context.trusted ? 'client' : 'unknown';
}
