/**
 * Where a session's fields come from: landing and attribution from its first event with the value, exit from its last, the referrer
 * from its first event: a page of the own host links to most of the later ones.
 */
import type { EnrichedField, SessionField } from './field-names.ts';
import type { Field } from './plan.ts';

/**
 * `event_type`: of the first or last event itself. `referrer`: of the first event itself, none where that was linked from its own
 * host. `campaign`: the property of that name, else that parameter of `_url`.
 */
export type Attribute = { readonly side: 'first' | 'last' } & (
  | { readonly of: 'event_type' }
  | { readonly of: 'referrer'; readonly field: Extract<Field, { readonly kind: 'enriched' }> }
  | { readonly of: 'field'; readonly field: Extract<Field, { readonly kind: 'enriched' | 'event' }> }
  | { readonly of: 'campaign'; readonly name: string }
);

/** Fields that are numbers of the session itself. */
export type SessionNumber = 'start_time' | 'end_time' | 'duration' | 'event_count';

export function isSessionNumber(name: SessionField): name is SessionNumber {
  return name === 'start_time' || name === 'end_time' || name === 'duration' || name === 'event_count';
}

/** Throws for a number of the session itself, which is of no single event. */
export function attributeOf(name: SessionField): Attribute {
  if (isSessionNumber(name)) throw new Error(`session.${name} is of no single event`);
  return ATTRIBUTES[name];
}

function enriched(side: 'first' | 'last', name: EnrichedField): Attribute {
  return { side, of: 'field', field: { kind: 'enriched', name } };
}

function referrer(name: '_referrer' | '_referrer_domain'): Attribute {
  return { side: 'first', of: 'referrer', field: { kind: 'enriched', name } };
}

const campaign = (name: string): Attribute => ({ side: 'first', of: 'campaign', name });

const ATTRIBUTES: Readonly<Record<Exclude<SessionField, SessionNumber>, Attribute>> = {
  first_event: { side: 'first', of: 'event_type' },
  last_event: { side: 'last', of: 'event_type' },
  landing_url: enriched('first', '_url'),
  landing_path: enriched('first', '_path'),
  landing_path_clean: enriched('first', '_path_clean'),
  landing_hostname: enriched('first', '_hostname'),
  exit_url: enriched('last', '_url'),
  exit_path: enriched('last', '_path'),
  exit_path_clean: enriched('last', '_path_clean'),
  referrer: referrer('_referrer'),
  referring_domain: referrer('_referrer_domain'),
  timezone: enriched('first', '_timezone'),
  country: enriched('first', '_country'),
  region: enriched('first', '_region'),
  city: enriched('first', '_city'),
  continent: enriched('first', '_continent'),
  ingest_origin: enriched('first', '_ingest_origin'),
  language: { side: 'first', of: 'field', field: { kind: 'event', path: 'language' } },
  utm_source: campaign('utm_source'),
  utm_medium: campaign('utm_medium'),
  utm_campaign: campaign('utm_campaign'),
  utm_term: campaign('utm_term'),
  utm_content: campaign('utm_content'),
  gclid: campaign('gclid'),
  fbclid: campaign('fbclid'),
};
