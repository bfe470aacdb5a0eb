/** Fields that events get besides what was sent: from the request, or from what a trusted sender says about its client. */
import type { IpPolicy } from '../../../base/project.ts';
import type { NormalEvent, Enriched, EnrichedText } from '../../event.ts';
import { type ClientHints, FIRST_INGEST_RULES, type GeoLocation, type RequestContext } from '../../request.ts';
import type { Locations } from './geo.ts';
import { storedIp } from './ip.ts';
import { userAgentFields } from './user-agent.ts';

/** An event made by a server has no device. */
const SERVER_FIELDS: readonly EnrichedText[] = [['_platform', 'server']];

export interface EnrichOptions {
  readonly policy: IpPolicy;
  /** Null if no database is configured. */
  readonly places: Locations | null;
}

/** The fields that all events of a request get. */
export function enrichRequest(context: RequestContext, options: EnrichOptions): Enriched {
  const client = [
    ...agentFields(context.userAgent, context.hints),
    ...addressFields(context.ip, context.place, options),
  ];
  return { client, unknown: context.rules === FIRST_INGEST_RULES ? client : [], server: SERVER_FIELDS };
}

/**
 * The fields of an event that carries its own `ip` or `user_agent`, or states fields, instead of the request's fields. What the
 * event does not say comes from the request if that is the client's; a server's request says nothing about the person. Null if
 * the event carries none of them.
 */
export function enrichEvent(
  event: Pick<NormalEvent, 'ip' | 'userAgent' | 'stated' | 'origin'>,
  context: RequestContext,
  options: EnrichOptions,
): readonly EnrichedText[] | null {
  if (event.ip === null && event.userAgent === null && event.stated.length === 0) return null;
  const told = event.origin === 'client' || (event.origin === 'unknown' && context.rules === FIRST_INGEST_RULES);
  const agent = event.userAgent ?? (told ? context.userAgent : null);
  const ip = event.ip ?? (told ? context.ip : null);
  const place = told && event.ip === null ? context.place : null;
  const hints = event.userAgent === null ? context.hints : undefined; // those of another agent
  const server = event.origin === 'server' && agent === null ? SERVER_FIELDS : [];
  const derived = [...server, ...agentFields(agent, hints), ...addressFields(ip, place, options)];
  return event.stated.length === 0 ? derived : overlaid(derived, event.stated);
}

/** What is stated wins; a place that is stated in part has nothing from another place. */
function overlaid(derived: readonly EnrichedText[], stated: NormalEvent['stated']): readonly EnrichedText[] {
  const names = new Set(stated.map(([column]) => column));
  const isPlaced = LOCATION_COLUMNS.some(([, column]) => names.has(column));
  const gone = isPlaced ? new Set([...names, ...LOCATION_COLUMNS.map(([, column]) => column)]) : names;
  return [...derived.filter(([column]) => !gone.has(column)), ...stated];
}

function agentFields(userAgent: string | null, hints?: ClientHints): readonly EnrichedText[] {
  return userAgent === null ? [] : userAgentFields(userAgent, hints);
}

/** `_ip` as the policy allows, and the location: from trusted proxies, else looked up by the whole address, which is not kept. */
function addressFields(
  ip: string | null,
  told: GeoLocation | null,
  { policy, places }: EnrichOptions,
): readonly EnrichedText[] {
  const stored = ip === null ? null : storedIp(ip, policy);
  const place = told ?? (ip === null ? null : (places?.lookup(ip) ?? null));
  return [...(stored === null ? [] : [['_ip', stored] as const]), ...locationFields(place)];
}

const LOCATION_COLUMNS: readonly (readonly [keyof GeoLocation, string])[] = [
  ['country', '_country'],
  ['region', '_region'],
  ['city', '_city'],
  ['continent', '_continent'],
  ['timezone', '_timezone'],
  ['latitude', '_latitude'],
  ['longitude', '_longitude'],
];

function locationFields(place: GeoLocation | null): readonly EnrichedText[] {
  if (place === null) return [];
  return LOCATION_COLUMNS.flatMap(([key, column]) => {
    const text = place[key];
    return text === undefined || text === '' ? [] : [[column, text] as const];
  });
}
