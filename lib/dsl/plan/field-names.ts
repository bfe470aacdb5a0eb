/** The names of fields that every project has. */

export type CoreField = 'event_type' | 'user_id' | 'device_id' | 'session_id' | 'distinct_id' | 'time' | 'insert_id';

export type EnrichedField =
  | '_browser' | '_browser_version' | '_os' | '_os_version' | '_device_type' | '_platform'
  | '_url' | '_path' | '_path_clean' | '_hostname' | '_title' | '_referrer' | '_referrer_domain'
  | '_ip' | '_ua' | '_library' | '_ingest_origin' | '_import_id'
  | '_country' | '_region' | '_city' | '_continent' | '_timezone' | '_latitude' | '_longitude'; // prettier-ignore

/** What a profile has besides its properties. `email` is the property of that name, `email_domain` what follows its last @. */
export type ProfileField = 'user_id' | 'email' | 'email_domain' | 'first_seen' | 'last_seen';

export type SessionField =
  | 'start_time' | 'end_time' | 'duration' | 'event_count' | 'first_event' | 'last_event'
  | 'landing_url' | 'landing_path' | 'landing_path_clean' | 'landing_hostname' | 'exit_url' | 'exit_path' | 'exit_path_clean'
  | 'referrer' | 'referring_domain' | 'utm_source' | 'utm_medium' | 'utm_campaign' | 'utm_term' | 'utm_content'
  | 'gclid' | 'fbclid' | 'language' | 'timezone' | 'country' | 'region' | 'city' | 'continent' | 'ingest_origin'; // prettier-ignore
