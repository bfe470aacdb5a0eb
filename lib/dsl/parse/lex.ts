/**
 * Text → tokens. A word is a run of characters that names may have, so dates, numbers and `7d` are words too: the parser decides
 * by position what a word is. In a formula, outside an operand's brackets, `+ - * /` are operators and end a word. Unreadable
 * text becomes a `bad` token, so that an error further left in the query is reported first.
 */
import { match, readString } from './lex-string.ts';
import type { Span } from './syntax.ts';

export type SymbolText =
  | '|' | ',' | '(' | ')' | '[' | ']' | '*' | '->' | '=' | '!=' | '>' | '>=' | '<' | '<=' | '~' | '!~' | '+' | '-' | '/'; // prettier-ignore

export type Token = Span &
  (
    | { readonly kind: 'word'; readonly text: string; readonly quoted: string | null } // quoted: the last part of a field
    | { readonly kind: 'string'; readonly value: string }
    | { readonly kind: 'symbol'; readonly symbol: SymbolText }
    | { readonly kind: 'bad'; readonly message: string; readonly hints: readonly string[] }
    | { readonly kind: 'end' }
  );

/** The tokens of a query; the last one is `end`, or the first `bad` one. */
export function lex(query: string): readonly Token[] {
  const tokens: Token[] = [];
  let mode: Mode = 'plain';
  let at = 0;
  for (;;) {
    const token = readToken(query, skipBlank(query, at), mode);
    tokens.push(token);
    if (token.kind === 'end' || token.kind === 'bad') return tokens;
    mode = nextMode(mode, tokens);
    at = token.end;
  }
}

type Mode = 'plain' | 'formula' | 'operand';

const BLANK = /(?:\s+|#[^\n]*)*/uy;
/** Made where they are used: V8 takes a millisecond to read each class of Unicode, and few texts need it. */
const word = (): RegExp => /-?[\p{L}\p{M}\p{N}_:./$](?:[\p{L}\p{M}\p{N}_:./$]|-(?!>))*/uy;
const formulaWord = (): RegExp => /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\p{L}\p{M}\p{N}_])|[\p{L}\p{M}\p{N}_]+/uy;
/** The same for texts without characters beyond ASCII. */
const ASCII_WORD = /-?[\w:./$](?:[\w:./$]|-(?!>))*/y;
const ASCII_FORMULA_WORD = /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\w)|\w+/y;
/** What a `+` may extend: an exponent, or a time with an offset. */
const EXPONENT = /^-?\d+(?:\.\d+)?[eE]$/;
const TIME = /^\d{4}-\d\d-\d\d[Tt][\d:.]*$/;
const PLUS_DIGITS = /\+[\d:]+/y;
const SYMBOL = /->|!=|!~|>=|<=|[|,()[\]*=><~]/y;
const FORMULA_SYMBOL = /[|,()[\]*+\-/]/y;

function skipBlank(query: string, at: number): number {
  BLANK.lastIndex = at;
  BLANK.test(query);
  return BLANK.lastIndex;
}

/** `formula` as the first word starts a formula; a bracket after a name in it belongs to an operand; `|` ends the formula. */
function nextMode(mode: Mode, tokens: readonly Token[]): Mode {
  const token = tokens[tokens.length - 1]!;
  if (token.kind === 'word') return tokens.length === 1 && token.text.toLowerCase() === 'formula' ? 'formula' : mode;
  if (token.kind !== 'symbol') return mode;
  if (token.symbol === '|') return 'plain';
  if (mode === 'formula' && token.symbol === '(' && isName(tokens[tokens.length - 2])) {
    return tokens.length > 2 ? 'operand' : mode;
  }
  return mode === 'operand' && token.symbol === ')' ? 'formula' : mode;
}

function isName(token: Token | undefined): boolean {
  return token?.kind === 'word' && !/^\d/.test(token.text);
}

function readToken(query: string, at: number, mode: Mode): Token {
  if (at >= query.length) return { kind: 'end', start: query.length, end: query.length };
  if (query[at] === '"') return readString(query, at);
  const text = mode === 'formula' ? matchWord(ASCII_FORMULA_WORD, formulaWord, query, at) : matchWord(ASCII_WORD, word, query, at); // prettier-ignore
  if (text !== '' && (mode === 'formula' || !/^-\D/u.test(text))) {
    return mode === 'formula' ? wordToken(at, text) : finishWord(query, at, text);
  }
  const symbol = match(mode === 'formula' ? FORMULA_SYMBOL : SYMBOL, query, at);
  if (isSymbol(symbol)) return { kind: 'symbol', symbol, start: at, end: at + symbol.length };
  return badCharacter(query, at, mode);
}

/** What `all` finds. It is asked only where the word that `ascii` finds ends at a character that just `all` knows. */
function matchWord(ascii: RegExp, all: () => RegExp, query: string, at: number): string {
  const found = match(ascii, query, at);
  const end = at + found.length;
  const next = query[end] === '-' ? end + 1 : end;
  return query.charCodeAt(next) > 0x7f ? match(all(), query, at) : found;
}

function finishWord(query: string, at: number, word: string): Token {
  if (EXPONENT.test(word) || TIME.test(word)) return wordToken(at, word + match(PLUS_DIGITS, query, at + word.length));
  const tail = at + word.length;
  if (!word.endsWith('.') || query[tail] !== '"') return wordToken(at, word);
  const quoted = readString(query, tail);
  if (quoted.kind === 'bad') return quoted;
  return { kind: 'word', text: word, quoted: quoted.value, start: at, end: quoted.end };
}

function wordToken(start: number, text: string): Token {
  return { kind: 'word', text, quoted: null, start, end: start + text.length };
}

function isSymbol(text: string): text is SymbolText {
  return text !== '';
}

/** What people used to other languages type. */
const FOREIGN: readonly (readonly [RegExp, string])[] = [
  [/'/y, 'put strings in double quotes: "…"'],
  [/&&?/y, 'conditions are joined with `and`'],
  [/!/y, '`not` negates a condition; `!=`, `!~`'],
  [/-\s+\d/y, 'a negative number has no blank after its `-`'],
  [/-/y, 'a name may not start with `-`; put it in quotes'],
  [/[“”„]/y, 'put strings in straight double quotes: "…"'],
];

/** Outside an operand's brackets there are no events, whose names could be in quotes. */
const FOREIGN_IN_FORMULA: readonly (readonly [RegExp, string])[] = [
  [/\./y, 'write digits before and after the point: 0.5'],
  [/[^]/uy, 'a formula has numbers, parentheses, `+`, `-`, `*`, `/` and operands such as count(event)'],
];

function badCharacter(query: string, at: number, mode: Mode): Token {
  const character = String.fromCodePoint(query.codePointAt(at)!);
  const foreign = mode === 'formula' ? FOREIGN_IN_FORMULA : FOREIGN;
  const hint = foreign.find(([pattern]) => match(pattern, query, at) !== '')?.[1];
  return {
    kind: 'bad',
    message: `unexpected character ${JSON.stringify(character)}`,
    hints: [hint ?? 'put names with such characters in quotes: "…"'],
    start: at,
    end: at + character.length,
  };
}
