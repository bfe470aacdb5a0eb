/**
 * The name of a time zone, of an IANA name (any case) or `UTC`; null if there is none. It has Intl's case, but an alias stays as it
 * is: Intl calls Asia/Kolkata by its older name Asia/Calcutta, and who asks for the first should not see the second. Newer versions
 * of Node take `+02:00` for a name; settings and queries do not.
 */
export function zoneName(name: string): string | null {
  if (name === 'UTC') return name; // most queries need nothing else of Intl, whose first use takes ten milliseconds
  if (!/^[A-Za-z]/.test(name)) return null;
  try {
    const known = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
    return known === 'UTC' || known.toLowerCase() === name.toLowerCase() ? known : name;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
