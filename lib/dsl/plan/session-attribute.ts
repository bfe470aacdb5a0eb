/** Where a session's fields come from: landing and attribution from its first event with the value, exit from its last. */
import type { EnrichedField, Field, SessionField } from './plan.ts';
import { unreachable } from '../../base/unreachable.ts';

/** `event_type`: of the first or last event itself. `campaign`: the property of that name, else that parameter of `_url`. */
export type Attribute = { readonly side: 'first' | 'last' } & (
  | { readonly of: 'event_type' }
  | { readonly of: 'field'; readonly field: Extract<Field, { readonly kind: 'enriched' | 'event' }> }
  | { readonly of: 'campaign'; readonly name: string }
);

/** Fields that are numbers of the session itself. */
export type SessionNumber = 'start_time' | 'end_time' | 'duration' | 'event_count';

export function isSessionNumber(name: SessionField): name is SessionNumber {
  return name === 'start_time' || name === 'end_time' || name === 'duration' || name === 'event_count';
}

export function attributeOf(name: SessionField): Attribute {
  switch (name) {
    case 'first_event':
      return { side: 'first', of: 'event_type' };
    case 'last_event':
      return { side: 'last', of: 'event_type' };
    case 'landing_url':
    case 'landing_path':
    case 'landing_path_clean':
    case 'landing_hostname':
      return enriched('first', LANDING[name]);
    case 'exit_url':
    case 'exit_path':
    case 'exit_path_clean':
      return enriched('last', EXIT[name]);
    case 'referrer':
      return enriched('first', '_referrer');
    case 'referring_domain':
      return enriched('first', '_referrer_domain');
    case 'timezone':
    case 'country':
    case 'region':
    case 'city':
    case 'continent':
    case 'ingest_origin':
      return enriched('first', `_${name}`);
    case 'language':
      return { side: 'first', of: 'field', field: { kind: 'event', path: name } };
    case 'utm_source':
    case 'utm_medium':
    case 'utm_campaign':
    case 'utm_term':
    case 'utm_content':
    case 'gclid':
    case 'fbclid':
      return { side: 'first', of: 'campaign', name };
    case 'start_time':
    case 'end_time':
    case 'duration':
    case 'event_count':
      throw new Error(`session.${name} is of no single event`);
    default:
      return unreachable(name);
  }
}

const LANDING = {
  landing_url: '_url',
  landing_path: '_path',
  landing_path_clean: '_path_clean',
  landing_hostname: '_hostname',
} as const;

const EXIT = { exit_url: '_url', exit_path: '_path', exit_path_clean: '_path_clean' } as const;

function enriched(side: 'first' | 'last', name: EnrichedField): Attribute {
  return { side, of: 'field', field: { kind: 'enriched', name } };
}
