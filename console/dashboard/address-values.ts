/**
 * Values of variables in the fragment of the page's address: everybody with the link sees the same, and no server logs them, as
 * they may name people.
 */

/** Names the card that a link is to; no variable can be called that. */
const CARD = '-card';

export function valuesInAddress(fragment: string): Readonly<Record<string, string>> {
  if (isPlace(fragment)) return {};
  return Object.fromEntries([...new URLSearchParams(fragment.replace(/^#/, ''))].filter(([name]) => name !== CARD));
}

/** The id of the card that the link is to; null: to none. */
export function cardInAddress(fragment: string): string | null {
  return isPlace(fragment) ? null : new URLSearchParams(fragment.replace(/^#/, '')).get(CARD);
}

/** Whether it names a place in the page, such as `#main`, instead of values. */
export function isPlace(fragment: string): boolean {
  return fragment.length > 1 && !fragment.includes('=');
}

/** Omits values equal to their defaults. @param card Its id, for a link to a card. */
export function fragmentOfValues(
  values: Readonly<Record<string, string>>,
  defaults: Readonly<Record<string, string>>,
  card: string | null = null,
): string {
  const own = Object.entries(values).filter(([name, value]) => defaults[name] !== value);
  if (card !== null) own.push([CARD, card]);
  return own.length === 0 ? '' : `#${new URLSearchParams(own).toString()}`;
}
