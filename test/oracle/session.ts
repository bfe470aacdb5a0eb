/** Sessions: events with one session id, whoever sent them, and the fields of a session. */
import type { SessionField } from '../../lib/dsl/plan/field-names.ts';
import { unreachable } from '../../lib/base/unreachable.ts';
import { parseUrl } from './enrich.ts';
import { atPath, exists, Instant, type Value } from './value.ts';
import type { OracleEvent } from './world.ts';

export interface Session {
  readonly first: OracleEvent;
  readonly last: OracleEvent;
  /** In order. */
  readonly events: readonly OracleEvent[];
}

/** Events in order → sessions by id, in the order of their first events. Events without a session id form none. */
export function formSessions(events: readonly OracleEvent[]): Map<string, Session> {
  const sessions = new Map<string, { first: OracleEvent; last: OracleEvent; events: OracleEvent[] }>();
  for (const event of events) {
    if (event.sessionId === null) continue;
    const session = sessions.get(event.sessionId) ?? { first: event, last: event, events: [] };
    session.last = event;
    session.events.push(event);
    sessions.set(event.sessionId, session);
  }
  return sessions;
}

/** Seconds from the first event to the last. */
export function durationOf(session: Session): number {
  return (session.last.time - session.first.time) / 1000;
}

export function readSession(session: Session | undefined, name: SessionField, zone: string): Value {
  if (session === undefined) return undefined;
  const enriched = (events: readonly OracleEvent[], field: string): Value =>
    events.map((event) => event.enriched[field]).find(exists);
  const landing = session.events;
  const exit = [...session.events].reverse();
  switch (name) {
    case 'start_time':
      return new Instant(session.first.time, zone);
    case 'end_time':
      return new Instant(session.last.time, zone);
    case 'duration':
      return durationOf(session);
    case 'event_count':
      return session.events.length;
    case 'first_event':
      return session.first.type;
    case 'last_event':
      return session.last.type;
    case 'landing_url':
      return enriched(landing, '_url');
    case 'landing_path':
      return enriched(landing, '_path');
    case 'landing_path_clean':
      return enriched(landing, '_path_clean');
    case 'landing_hostname':
      return enriched(landing, '_hostname');
    case 'exit_url':
      return enriched(exit, '_url');
    case 'exit_path':
      return enriched(exit, '_path');
    case 'exit_path_clean':
      return enriched(exit, '_path_clean');
    case 'referrer':
    case 'referring_domain':
      return isFromItself(session.first) ? undefined : enriched([session.first], REFERRERS[name]);
    case 'timezone':
    case 'country':
    case 'region':
    case 'city':
    case 'continent':
    case 'ingest_origin':
      return enriched(landing, `_${name}`);
    case 'language':
      return landing.map((event) => atPath(event.properties, name)).find(exists);
    case 'utm_source':
    case 'utm_medium':
    case 'utm_campaign':
    case 'utm_term':
    case 'utm_content':
    case 'gclid':
    case 'fbclid':
      return landing.map((event) => campaignOf(event, name)).find(exists);
    default:
      return unreachable(name);
  }
}

const REFERRERS = { referrer: '_referrer', referring_domain: '_referrer_domain' } as const;

/** Whether the page that linked here is of the same host: such a visit is direct. */
function isFromItself({ enriched }: OracleEvent): boolean {
  const host = enriched['_hostname'];
  return host !== undefined && enriched['_referrer_domain'] === host;
}

/** The event property of that name, else the URL parameter of that name. */
function campaignOf(event: OracleEvent, name: string): Value {
  const sent = atPath(event.properties, name);
  if (exists(sent)) return sent;
  const parameters = [...(parseUrl(event.enriched['_url'])?.searchParams ?? [])];
  return parameters.find(([key]) => key.toLowerCase() === name)?.[1];
}
