/** Changes of a query that a click makes, as it is written: everything else stays, comments and quotes too. */
import { lex, type Lexeme } from '../lib/dsl/parse/lex.ts';
import { quote } from '../lib/dsl/parse/lex-string.ts';
import { isKeyword } from '../lib/dsl/parse/keywords.ts';
import { isBareName } from '../lib/dsl/hints/name-text.ts';

/** Words that begin a stage for the range of a query. */
const RANGES = ['last', 'from', 'since', 'all', 'today', 'yesterday', 'this'];

/** Sources whose rows have an order of their own. */
const UNORDERED = /^\s*(?:inspect|fields|funnel|retention|paths|lifecycle|stickiness)\b/i;

/** With another range: `last 7d`, `from 2026-01-01 to 2026-02-01`. */
export function withRange(q: string, range: string): string {
  return withStage(q, RANGES, range);
}

/** With its rows in the order of a column; the other way round if they are so already. null: this query takes no order. */
export function withOrder(q: string, column: string, direction: 'asc' | 'desc'): string | null {
  if (UNORDERED.test(q) || stageAt(q, ['top']) !== null) return null;
  const by = `sort ${isBareName(column) ? column : quote(column)}`;
  const isThere = stageAt(q, ['sort'])?.text.replaceAll(/\s+/g, ' ') === `${by} ${direction}`;
  return withStage(q, ['sort'], `${by} ${isThere === (direction === 'asc') ? 'desc' : 'asc'}`);
}

/** With another name of an event, field or choice, wherever it stands. Both as in the text of a query, in quotes or not. */
export function withName(q: string, old: string, name: string): string {
  const named = (token: Lexeme): boolean => {
    if (token.kind !== 'word' && token.kind !== 'string') return false;
    const text = q.slice(token.start, token.end);
    return text === old || text === unquoted(old) || quote(text) === old;
  };
  return lex(q)
    .filter(named)
    .toReversed()
    .reduce((text, { start, end }) => text.slice(0, start) + written(name) + text.slice(end), q);
}

/** An event needs its quotes only for characters that names cannot have, or where it is a word of the language. */
function written(name: string): string {
  const bare = unquoted(name);
  return name !== bare && isBareName(bare) && !isKeyword(bare) ? bare : name;
}

/** `"signup"` → `signup`; names with escapes stay in their quotes. */
function unquoted(text: string): string {
  return /^"[^"\\]*"$/.test(text) ? text.slice(1, -1) : text;
}

/** Puts a stage in the place of the one that begins with one of these words, or at the end. */
function withStage(q: string, words: readonly string[], stage: string): string {
  const found = stageAt(q, words);
  if (found !== null) return q.slice(0, found.start) + stage + q.slice(found.end);
  const query = q.trimEnd();
  return `${query}${/[\n#]/.test(query) ? '\n' : ' '}| ${stage}`; // on a line of its own: the last may end in a comment
}

interface Found {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The first such stage, from its first to its last character; null: there is none. */
function stageAt(q: string, words: readonly string[]): Found | null {
  const tokens = lex(q);
  const pipes = tokens.flatMap((token, at) => (token.kind === 'symbol' && token.symbol === '|' ? [at] : []));
  for (const [nth, pipe] of pipes.entries()) {
    const first = tokens[pipe + 1];
    const last = tokens[(pipes[nth + 1] ?? tokens.length - 1) - 1];
    if (first?.kind !== 'word' || last === undefined || !words.includes(first.text.toLowerCase())) continue;
    return { start: first.start, end: last.end, text: q.slice(first.start, last.end) };
  }
  return null;
}
