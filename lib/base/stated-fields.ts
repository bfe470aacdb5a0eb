/** Fields at the root of an event by which a server states what it knows of its client, by the names that queries use. */

/** Stored as they are stated. */
export const STATED_COLUMNS = [
  ...['_browser', '_browser_version', '_os', '_os_version', '_device_type', '_platform'],
  ...['_country', '_region', '_city', '_continent', '_timezone', '_latitude', '_longitude'],
] as const;

/** All of them: also those that queries read from a property, and the user agent. */
export const STATED_FIELDS: readonly string[] = [...STATED_COLUMNS, '_url', '_title', '_referrer', '_ua'];
