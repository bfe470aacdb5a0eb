/** The longest names that are stored. */

/** Characters (code points) of an event type, and UTF-16 units of a property's key. A longer type is invalid, a longer key is cut. */
export const LONGEST_NAME = 256;

/** Whether a text has more characters (code points) than the limit. */
export function isLonger(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  if (text.length > limit * 2) return true;
  let characters = 0;
  for (const _ of text) characters++;
  return characters > limit;
}
