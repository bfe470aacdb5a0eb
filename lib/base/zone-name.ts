/**
 * The name of a time zone as Intl has it, of an IANA name (any case) or `UTC`; null if there is none. Newer versions of Node take
 * `+02:00` for a name; settings and queries do not.
 */
export function zoneName(name: string): string | null {
  if (name === 'UTC') return name; // most queries need nothing else of Intl, whose first use takes ten milliseconds
  if (!/^[A-Za-z]/.test(name)) return null;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
