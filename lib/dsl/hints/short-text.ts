/** UTF-16 units of a value that a note shows. */
const MOST_OF_VALUE = 60;

/** A stored text as notes show it: a long one is cut. */
export function shortText(text: string): string {
  return text.length > MOST_OF_VALUE ? `${text.slice(0, MOST_OF_VALUE - 1).toWellFormed()}…` : text;
}
