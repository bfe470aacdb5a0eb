/** What one query reads: the events of its range, and how to read a field of a row. */
import type { EventName, Field, Plan } from '../../lib/dsl/plan/plan.ts';
import type { TimeRange } from '../../lib/dsl/time/units.ts';
import { unreachable } from '../../lib/base/unreachable.ts';
import { holds, type Reader } from './condition.ts';
import { emailDomain } from './profiles.ts';
import { formSessions, readSession, type Session } from './session.ts';
import { atPath, Instant, type Value } from './value.ts';
import type { Facts, OracleEvent, OracleProfile } from './world.ts';
import { bucketOf } from './zone.ts';

const LAST_SESSION_MS = 90 * 24 * 3600_000;

export interface Scope {
  readonly facts: Facts;
  readonly zone: string;
  readonly range: TimeRange;
  /** Sessions of all events in the range, by session id. */
  readonly sessions: ReadonlyMap<string, Session>;
  /** Whether `fields` and `inspect e` list session.*. */
  readonly listsSessions: boolean;
}

export function openScope(facts: Facts, plan: Plan, listsSessions: boolean): Scope {
  const sessions = formSessions(within(facts.events, sessionRange(plan)));
  return { facts, zone: plan.zone, range: plan.range, sessions, listsSessions };
}

/** A lifecycle's range is first widened to the start of its first bucket. */
function sessionRange(plan: Plan): TimeRange {
  const { range } = plan;
  if (plan.kind !== 'lifecycle' || range.from >= range.to) return range;
  return { ...range, from: bucketOf(range.from, plan.unit, plan.zone).start };
}

export function within(events: readonly OracleEvent[], { from, to }: TimeRange): OracleEvent[] {
  return events.filter((event) => from <= event.time && event.time < to);
}

/** The events of the range that match the query's `where`. */
export function selectEvents(scope: Scope, plan: Plan): OracleEvent[] {
  return within(scope.facts.events, scope.range).filter((event) => holds(plan.where, eventReader(scope, event)));
}

export function isNamed(event: OracleEvent, name: EventName): boolean {
  return name === null || event.type === name;
}

/** Reads the fields of one event. */
export function eventReader(scope: Scope, event: OracleEvent): Reader {
  return (field) => {
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
      case 'latest':
        throw new Error(`an event has no ${field.name}`);
      default:
        return unreachable(field);
    }
  };
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

/** A lifecycle reads events before its range too: they are of none of its sessions, whatever their session id. */
function sessionOf(scope: Scope, event: OracleEvent): Session | undefined {
  const session = scope.sessions.get(event.sessionId ?? '');
  return session?.events.includes(event) ? session : undefined;
}

/** The session that began last, of those formed from this person's own events in the 90 days before the range's end. */
function lastSession(scope: Scope, person: string | null): Session | undefined {
  if (person === null) return undefined;
  const { to } = scope.range;
  const own = within(scope.facts.events, { from: to - LAST_SESSION_MS, to }).filter(
    (event) => event.distinctId === person,
  );
  const begun = [...formSessions(own).values()].map((session) => ({ session, first: own.indexOf(session.first) }));
  return begun.sort((a, b) => b.first - a.first)[0]?.session;
}
