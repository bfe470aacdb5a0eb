/** The question in the fragment of the address, `#q=`: it can be passed on, and no server sees it. */

const NAME = 'q';

/** null: there is none. */
export function questionIn(fragment: string): string | null {
  return new URLSearchParams(fragment.replace(/^#/, '')).get(NAME);
}

/** As `encodeURIComponent` writes it, which the parser of `questionIn` reads as well. */
export function fragmentOf(question: string): string {
  return `#${NAME}=${encodeURIComponent(question)}`;
}
