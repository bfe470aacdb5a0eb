/** What one query reads: the events of its range, and how to read a field of a row. */
import type { EventName, Field, Plan } from '../../lib/dsl/plan/plan.ts';
import type { TimeRange } from '../../lib/dsl/time/units.ts';
import { unreachable } from '../../lib/base/unreachable.ts';
import { withComputed } from './computed.ts';
import { holds, type Reader } from './condition.ts';
import { askedOf, countDone, didTimes, type Asked, type DidField } from './did.ts';
import { emailDomain } from './profiles.ts';
import { formSessions, readSession, type Session } from './session.ts';
import { atPath, Instant, type Value } from './value.ts';
import type { Facts, OracleEvent, OracleProfile } from './world.ts';

const DAY_MS = 24 * 3600_000;
const LAST_SESSION_MS = 90 * DAY_MS;

export interface Scope {
  readonly facts: Facts;
  readonly zone: string;
  readonly range: TimeRange;
  /** Of the events that form sessions: the range and a day on both sides, nothing ahead of now. */
  readonly sessionTimes: TimeRange;
  /** Sessions of all these events, by session id. */
  readonly sessions: ReadonlyMap<string, Session>;
  readonly asked: Asked;
  /** How often each person did what a condition asks, by its field. */
  readonly done: Map<Field, ReadonlyMap<string, number>>;
  /** Whether `fields` and `inspect e` list session.*. */
  readonly listsSessions: boolean;
}

export function openScope(facts: Facts, plan: Plan, listsSessions: boolean): Scope {
  const { zone, range } = plan;
  const sessionTimes = { from: range.from - DAY_MS, to: Math.min(range.to + DAY_MS, plan.now) };
  const sessions = formSessions(within(facts.events, sessionTimes));
  return { facts, zone, range, sessionTimes, sessions, asked: askedOf(plan), done: new Map(), listsSessions };
}

export function within(events: readonly OracleEvent[], { from, to }: TimeRange): OracleEvent[] {
  return events.filter((event) => from <= event.time && event.time < to);
}

/** The events of the range, or of these times, that match the query's `where`. */
export function selectEvents(scope: Scope, plan: Plan, times: TimeRange = scope.range): OracleEvent[] {
  return within(scope.facts.events, times).filter((event) => holds(plan.where, eventReader(scope, event)));
}

export function isNamed(event: OracleEvent, name: EventName): boolean {
  return name === null || event.type === name;
}

/** Reads the fields of one event. */
export function eventReader(scope: Scope, event: OracleEvent): Reader {
  return withComputed((field) => {
    switch (field.kind) {
      case 'core':
        return readCore(event, field.name, scope.zone);
      case 'event':
        return atPath(event.properties, field.path);
      case 'sent':
        return atPath(event.userProperties, field.path);
      case 'enriched':
        return event.enriched[field.name];
      case 'profile':
      case 'account':
        return readProfile(profileOf(scope, event), field, scope.zone);
      case 'session':
        return readSession(sessionOf(scope, event), field.name, scope.zone);
      case 'last_session':
        return readSession(lastSession(scope, event.distinctId), field.name, scope.zone);
      case 'did':
        return timesDone(scope, field, event.distinctId);
      case 'cohort':
        throw new Error('a cohort is a condition on fields');
      case 'arithmetic':
        throw new Error('arithmetic is computed of fields');
      case 'latest':
        throw new Error(`an event has no ${field.name}`);
      default:
        return unreachable(field);
    }
  });
}

function readCore(event: OracleEvent, name: (Field & { kind: 'core' })['name'], zone: string): Value {
  switch (name) {
    case 'event_type':
      return event.type;
    case 'user_id':
      return event.userId;
    case 'device_id':
      return event.deviceId;
    case 'session_id':
      return event.sessionId;
    case 'distinct_id':
      return event.distinctId;
    case 'time':
      return new Instant(event.time, zone);
    case 'insert_id':
      return event.insertId;
    default:
      return unreachable(name);
  }
}

function profileOf(scope: Scope, event: OracleEvent): OracleProfile | undefined {
  return event.distinctId === null ? undefined : scope.facts.profiles.get(event.distinctId);
}

/** How often a person did it; nobody did nothing. */
export function timesDone(scope: Scope, field: DidField, person: string | null): number {
  if (person === null) return 0;
  const known = scope.done.get(field);
  if (known !== undefined) return known.get(person) ?? 0;
  const { facts, zone, asked } = scope;
  const range = didTimes(field, asked);
  const times = { from: range.from - DAY_MS, to: Math.min(range.to + DAY_MS, asked.now) };
  const inner = { ...scope, range, sessionTimes: times, sessions: formSessions(within(facts.events, times)) };
  const done = within(facts.events, range).filter(
    (event) => isNamed(event, field.event) && holds(field.where, eventReader(inner, event)),
  );
  const counts = countDone(field, { ...asked, zone }, facts.events, done);
  scope.done.set(field, counts);
  return counts.get(person) ?? 0;
}

/** Reads `user.<key>` of a profile; everything is missing without one. */
export function readProfile(profile: OracleProfile | undefined, field: Field, zone: string): Value {
  if (profile === undefined) return undefined;
  if (field.kind === 'profile') return atPath(profile.properties, field.path);
  if (field.kind !== 'account') throw new Error(`a profile has no ${field.kind} fields`);
  const { name } = field;
  switch (name) {
    case 'user_id':
      return profile.userId;
    case 'email':
      return atPath(profile.properties, 'email');
    case 'email_domain':
      return emailDomain(atPath(profile.properties, 'email'));
    case 'first_seen':
      return new Instant(profile.firstSeen, zone);
    case 'last_seen':
      return new Instant(profile.lastSeen, zone);
    default:
      return unreachable(name);
  }
}

/** An event may lie before the times that form sessions (in a lifecycle), or ahead of now: it is of none of them. */
function sessionOf(scope: Scope, event: OracleEvent): Session | undefined {
  const session = scope.sessions.get(event.sessionId ?? '');
  return session?.events.includes(event) ? session : undefined;
}

/**
 * The session that began last, of those formed from this person's own events that begin in the 90 days before the range's end; they
 * are whole, as all sessions.
 */
function lastSession(scope: Scope, person: string | null): Session | undefined {
  if (person === null) return undefined;
  const { to } = scope.range;
  const from = to - LAST_SESSION_MS;
  const times = { from: from - DAY_MS, to: scope.sessionTimes.to };
  const own = within(scope.facts.events, times).filter((event) => event.distinctId === person);
  const begun = [...formSessions(own).values()]
    .filter(({ first }) => from <= first.time && first.time < to)
    .map((session) => ({ session, first: own.indexOf(session.first) }));
  return begun.sort((a, b) => b.first - a.first)[0]?.session;
}
