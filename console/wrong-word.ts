/** What an error is about: the word at its place, a name in quotes, or a single sign. */
const WORD = /"(?:[^"\\\n]|\\.)*"?|[\p{L}\p{M}\p{N}_:./$-]+|[^\s]/uy;

/** Where in the query the wrong word begins and ends. At the end of the query, or between words, it is empty. */
export function wrongWord(query: string, position: number): { readonly start: number; readonly end: number } {
  const start = Math.min(Math.max(position, 0), query.length);
  WORD.lastIndex = start;
  return { start, end: start + (WORD.exec(query)?.[0].length ?? 0) };
}
