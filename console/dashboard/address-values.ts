/**
 * Values of variables in the fragment of the page's address: everybody with the link sees the same, and no server logs them, as
 * they may name people.
 */

export function valuesInAddress(fragment: string): Readonly<Record<string, string>> {
  if (isPlace(fragment)) return {};
  return Object.fromEntries(new URLSearchParams(fragment.replace(/^#/, '')));
}

/** Whether it names a place in the page, such as `#main`, instead of values. */
export function isPlace(fragment: string): boolean {
  return fragment.length > 1 && !fragment.includes('=');
}

/** Omits values equal to their defaults. */
export function fragmentOfValues(
  values: Readonly<Record<string, string>>,
  defaults: Readonly<Record<string, string>>,
): string {
  const own = Object.entries(values).filter(([name, value]) => defaults[name] !== value);
  return own.length === 0 ? '' : `#${new URLSearchParams(own).toString()}`;
}
