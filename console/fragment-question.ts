/** The query in the fragment of the address, `#q=`: it can be shared, and no server sees it. */

const NAME = 'q';

/** null: there is none. */
export function questionIn(fragment: string): string | null {
  return new URLSearchParams(fragment.replace(/^#/, '')).get(NAME);
}

/** Encoded by `encodeURIComponent`, which the parser in `questionIn` understands too. */
export function fragmentOf(question: string): string {
  return `#${NAME}=${encodeURIComponent(question)}`;
}

/** Of this page with the query in it. */
export function questionAddress(question: string): string {
  return `${location.origin}${location.pathname}${fragmentOf(question)}`;
}
