/** Fields that events get besides what was sent: from the request, or from what a trusted sender says about its client. */
import type { IpPolicy } from '../../../base/project.ts';
import type { NormalEvent } from '../../event.ts';
import { FIRST_INGEST_RULES, type Location, type RequestContext } from '../../request.ts';
import type { Enriched, EnrichedField } from './enriched.ts';
import type { Locations } from './geo.ts';
import { storedIp } from './ip.ts';
import { userAgentFields } from './user-agent.ts';

/** An event made by a server has no device. */
const SERVER_FIELDS: readonly EnrichedField[] = [['_platform', 'server']];

export interface EnrichOptions {
  readonly policy: IpPolicy;
  /** Null if no database is configured. */
  readonly places: Locations | null;
}

/** The fields that all events of a request get. */
export function enrichRequest(context: RequestContext, options: EnrichOptions): Enriched {
  const client = [...agentFields(context.userAgent), ...addressFields(context.ip, context.place, options)];
  return { client, unknown: context.rules === FIRST_INGEST_RULES ? client : [], server: SERVER_FIELDS };
}

/**
 * The fields of an event that carries its own `ip` or `user_agent`, instead of the request's fields. What the event does not say
 * comes from the request if that is the client's; a server's request says nothing about the person. Null if the event carries
 * neither.
 */
export function enrichEvent(
  event: Pick<NormalEvent, 'ip' | 'userAgent' | 'origin'>,
  context: RequestContext,
  options: EnrichOptions,
): readonly EnrichedField[] | null {
  if (event.ip === null && event.userAgent === null) return null;
  const told = event.origin === 'client' || (event.origin === 'unknown' && context.rules === FIRST_INGEST_RULES);
  const agent = event.userAgent ?? (told ? context.userAgent : null);
  const ip = event.ip ?? (told ? context.ip : null);
  const place = told && event.ip === null ? context.place : null;
  const fields = [...agentFields(agent), ...addressFields(ip, place, options)];
  return event.origin === 'server' && agent === null ? [...SERVER_FIELDS, ...fields] : fields;
}

function agentFields(userAgent: string | null): readonly EnrichedField[] {
  return userAgent === null ? [] : userAgentFields(userAgent);
}

/** `_ip` as the policy allows, and the location: from trusted proxies, else looked up by the whole address, which is not kept. */
function addressFields(
  ip: string | null,
  told: Location | null,
  { policy, places }: EnrichOptions,
): readonly EnrichedField[] {
  const stored = ip === null ? null : storedIp(ip, policy);
  const place = told ?? (ip === null ? null : (places?.lookup(ip) ?? null));
  return [...(stored === null ? [] : [['_ip', stored] as const]), ...locationFields(place)];
}

const LOCATION_COLUMNS: readonly (readonly [keyof Location, string])[] = [
  ['country', '_country'],
  ['region', '_region'],
  ['city', '_city'],
  ['continent', '_continent'],
  ['timezone', '_timezone'],
  ['latitude', '_latitude'],
  ['longitude', '_longitude'],
];

function locationFields(place: Location | null): readonly EnrichedField[] {
  if (place === null) return [];
  return LOCATION_COLUMNS.flatMap(([key, column]) => {
    const text = place[key];
    return text === undefined || text === '' ? [] : [[column, text] as const];
  });
}
