/** Texts as they are stored: well-formed and bounded. */

/** Whether the text is only white space, as `trim` defines it. */
export function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** The first `limit` UTF-16 units of a text, or one less to keep a surrogate pair whole. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  const next = text.charCodeAt(limit);
  const parts = last >= 0xd800 && last <= 0xdbff && next >= 0xdc00 && next <= 0xdfff;
  return text.slice(0, parts ? limit - 1 : limit);
}

/** Whether a text has more characters (code points) than the limit. */
export function isLonger(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  if (text.length > limit * 2) return true;
  let characters = 0;
  for (const _ of text) characters++;
  return characters > limit;
}
