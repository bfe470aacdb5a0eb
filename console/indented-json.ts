/** Lays out JSON for people. Only blanks are added: numbers that no JavaScript number can hold stay as they are. */

/** A string as a whole, so that nothing in it counts; a sign of structure, with the end of an empty list or object. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[[{]\s*[\]}]|[[\]{},:]/g;

/** @param json Without blanks between its tokens, as the server writes it. */
export function indentedJson(json: string): string {
  let depth = 0;
  const line = (): string => `\n${'  '.repeat(depth)}`;
  return json.replaceAll(TOKENS, (token) => {
    if (token === ':') return ': ';
    if (token === ',') return `,${line()}`;
    if (token === '[' || token === '{') {
      depth++;
      return token + line();
    }
    if (token === ']' || token === '}') {
      depth--;
      return line() + token;
    }
    return token;
  });
}
