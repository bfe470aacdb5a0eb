/** A query in colors: words of the language, fields, strings, numbers, comments. */
import { lex, type Lexeme } from '../lib/dsl/parse/lex.ts';
import { isKeyword, startsStage, LATER_SOURCES, LATER_STAGES } from '../lib/dsl/parse/keywords.ts';
import { made } from './element.ts';

/** The part of a text from `from` to `to`, in UTF-16 units. What cannot be read has no color. */
export function coloredQuery(q: string, from = 0, to = q.length): readonly (Node | string)[] {
  const nodes: (Node | string)[] = [];
  let done = from;
  const add = (start: number, end: number, look: string | null): void => {
    const text = q.slice(Math.max(start, from), Math.min(end, to));
    if (text !== '') nodes.push(look === null ? text : made('span', text, { class: look }));
  };
  const tokens = lex(q);
  for (const [at, token] of tokens.entries()) {
    addBlank(q, done, token.start, add);
    add(token.start, token.end, q[token.start] === '"' ? 'q-string' : lookOf(token, tokens[at - 1])); // unclosed ones too
    done = Math.max(done, token.end);
  }
  add(done, q.length, null);
  return nodes;
}

type Add = (start: number, end: number, look: string | null) => void;

/** Between tokens there are blanks, and comments to the end of their line. */
function addBlank(q: string, start: number, end: number, add: Add): void {
  let at = start;
  for (const { index, 0: comment } of q.slice(start, Math.max(start, end)).matchAll(/#[^\n]*/g)) {
    add(at, start + index, null);
    add(start + index, start + index + comment.length, 'q-comment');
    at = start + index + comment.length;
  }
  add(at, end, null);
}

function lookOf(token: Lexeme, before: Lexeme | undefined): string | null {
  switch (token.kind) {
    case 'symbol':
      return token.symbol === '*' ? null : 'q-symbol';
    case 'word':
      return lookOfWord(token.text, before);
    case 'string':
    case 'bad':
    case 'end':
      return null;
  }
}

function lookOfWord(text: string, before: Lexeme | undefined): string | null {
  if (/^-?\d/.test(text)) return 'q-number';
  const begins = before === undefined || (before.kind === 'symbol' && before.symbol === '|');
  if (isKeyword(text) || (begins && isLater(text, before))) return 'q-word';
  if (OTHER_WORDS.has(text.toLowerCase())) return 'q-word';
  return text.startsWith('_') || text.includes('.') ? 'q-field' : null;
}

function isLater(text: string, before: Lexeme | undefined): boolean {
  const lower = text.toLowerCase();
  return before === undefined ? LATER_SOURCES.some((word) => word === lower) : startsStage(lower) || LATER_STAGES.some((word) => word === lower);
} // prettier-ignore

/** Words that events may be named by, too, but seldom are. */
const OTHER_WORDS: ReadonlySet<string> = new Set(['as', 'did', 'cohort', 'previous', 'of', 'within', 'first', 'any']);
