/** What an error is about: the word at its position, a quoted name, or a single character. */
const WORD = /"(?:[^"\\\n]|\\.)*"?|[\p{L}\p{M}\p{N}_:./$-]+|[^\s]/uy;

/** Where in the query the wrong word begins and ends. Empty at the end of the query or between words. */
export function wrongWord(query: string, position: number): { readonly start: number; readonly end: number } {
  const start = Math.min(Math.max(position, 0), query.length);
  WORD.lastIndex = start;
  return { start, end: start + (WORD.exec(query)?.[0].length ?? 0) };
}
