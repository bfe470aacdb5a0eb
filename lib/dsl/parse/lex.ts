/**
 * Text → tokens. A word is a run of characters that names may have, so dates, numbers and `7d` are words too: the parser decides
 * by position what a word is. In a formula, outside an operand's brackets, and in arithmetic, `+ - * /` are operators and end a
 * word. Unreadable text becomes a `bad` token, so that an error further left in the query is reported first.
 */
import { BEFORE_ARITHMETIC } from './keywords.ts';
import { match, readString } from './lex-string.ts';
import type { Span } from './syntax.ts';

export type SymbolText =
  | '|' | ',' | '(' | ')' | '[' | ']' | '*' | '->' | '=' | '!=' | '>' | '>=' | '<' | '<=' | '~' | '!~' | '+' | '-' | '/'; // prettier-ignore

export type Lexeme = Span &
  (
    | { readonly kind: 'word'; readonly text: string; readonly quoted: string | null } // quoted: the last part of a field
    | { readonly kind: 'string'; readonly value: string }
    /** `arithmetic`: of an opening parenthesis, that it holds a number. */
    | { readonly kind: 'symbol'; readonly symbol: SymbolText; readonly arithmetic?: true }
    | { readonly kind: 'bad'; readonly message: string; readonly hints: readonly string[] }
    | { readonly kind: 'end' }
  );

/** The tokens of a query; the last one is `end`, or the first `bad` one. */
export function lex(query: string): readonly Lexeme[] {
  const tokens: Lexeme[] = [];
  let modes = PLAIN;
  let at = 0;
  for (;;) {
    const token = readToken(query, skipBlank(query, at), modes.mode);
    tokens.push(token);
    if (token.kind === 'end' || token.kind === 'bad') return tokens;
    modes = nextModes(modes, tokens, query);
    at = token.end;
    if (modes.mode === 'arithmetic' && token.kind === 'symbol' && token.symbol === '(')
      tokens[tokens.length - 1] = { ...token, arithmetic: true };
  }
}

type Mode = 'plain' | 'formula' | 'arithmetic';
/** That of the innermost parentheses, those around them, and how many there are. */
interface Modes {
  readonly mode: Mode;
  readonly outer: Modes | null;
  readonly depth: number;
}

const PLAIN: Modes = { mode: 'plain', outer: null, depth: 1 };
const FORMULA: Modes = { ...PLAIN, mode: 'formula' };

const BLANK = /(?:\s+|#[^\n]*)*/uy;
/** Made where they are used: V8 takes a millisecond to read each class of Unicode, and few texts need it. */
const word = (): RegExp => /-?[\p{L}\p{M}\p{N}_:./$](?:[\p{L}\p{M}\p{N}_:./$]|-(?!>))*/uy;
const formulaWord = (): RegExp => /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\p{L}\p{M}\p{N}_])|[\p{L}\p{M}\p{N}_]+/uy;
const arithmeticWord = (): RegExp => /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\p{L}\p{M}\p{N}_.$])|[\p{L}\p{M}\p{N}_.$]+/uy;
/** The same for texts without characters beyond ASCII. */
const ASCII_WORD = /-?[\w:./$](?:[\w:./$]|-(?!>))*/y;
const ASCII_FORMULA_WORD = /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\w)|\w+/y;
const ASCII_ARITHMETIC_WORD = /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.$])|[\w.$]+/y;
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

/** `formula` as the first word starts a formula, in which a bracket after a name belongs to an operand; `|` or `by` ends it. */
function nextModes(modes: Modes, tokens: readonly Lexeme[], query: string): Modes {
  const token = tokens[tokens.length - 1]!;
  const { mode } = modes;
  const within = (inner: Mode): Modes => ({ mode: inner, outer: modes, depth: modes.depth + 1 });
  if (token.kind === 'word') {
    const word = token.text.toLowerCase();
    if (tokens.length === 1 && word === 'formula') return FORMULA;
    return mode === 'formula' && word === 'by' ? PLAIN : modes;
  }
  if (token.kind !== 'symbol') return modes;
  if (token.symbol === '|') return PLAIN;
  if (token.symbol === ')') return modes.outer ?? PLAIN;
  if (token.symbol !== '(') return modes;
  if (mode === 'formula') return within(tokens.length > 2 && isName(tokens[tokens.length - 2]) ? 'plain' : mode);
  const holdsNumber =
    mode === 'arithmetic' || isSecondOfOperand(modes, tokens) || startsArithmetic(modes, tokens, query);
  return within(holdsNumber ? 'arithmetic' : 'plain');
}

/** In an operand of a formula, a number follows the comma: `sum(event, (price * quantity))`. */
function isSecondOfOperand({ outer }: Modes, tokens: readonly Lexeme[]): boolean {
  const before = tokens.at(-2);
  return outer?.mode === 'formula' && before?.kind === 'symbol' && before.symbol === ',';
}

/** Deeper ones are errors: each is looked through to its end. */
const MAX_NESTED = 100;

/**
 * Whether the parenthesis just read holds arithmetic: it follows a word or a comma that takes a number, or what follows its end
 * takes one. Conditions in parentheses are joined with words, and so are lists.
 */
function startsArithmetic(modes: Modes, tokens: readonly Lexeme[], query: string): boolean {
  if (modes.depth > MAX_NESTED) return false;
  const [word, open] = [tokens.at(-2), tokens.at(-1)!];
  const stage = stageOf(tokens);
  if (stage === 'having') return false;
  if (word?.kind === 'word' && BEFORE_ARITHMETIC.test(word.text))
    return stage !== 'sort' || word.text.toLowerCase() === 'sort';
  if (word?.kind === 'word' && /^(?:in|did)$/i.test(word.text)) return false;
  const end = endOfParentheses(query, open.end);
  return end !== null && match(AFTER_ARITHMETIC, query, skipBlank(query, end)) !== '';
}

/** The word that begins the stage; those of `sort` and `having` name columns, `sum(field)`. */
function stageOf(tokens: readonly Lexeme[]): string | null {
  const bar = tokens.findLastIndex((token) => token.kind === 'symbol' && token.symbol === '|');
  const first = tokens[bar + 1];
  return bar >= 0 && first?.kind === 'word' ? first.text.toLowerCase() : null;
}

const AFTER_ARITHMETIC = /[=<>~]|![=~]|(?:not|in|exists|contains|bin|starts|ends|has)\b/iy;
const PARENTHESES = /"(?:[^"\\]|\\.)*"|#[^\n]*|[()|]/gs;

/** Behind the parenthesis that closes the one that ends at `from`; null: there is none. */
function endOfParentheses(query: string, from: number): number | null {
  let depth = 1;
  PARENTHESES.lastIndex = from;
  for (let found = PARENTHESES.exec(query); found !== null; found = PARENTHESES.exec(query)) {
    const [text] = found;
    if (text === '|') return null;
    if (text === '(') depth++;
    if (text === ')' && --depth === 0) return PARENTHESES.lastIndex;
  }
  return null;
}

function isName(token: Lexeme | undefined): boolean {
  return token?.kind === 'word' && !/^\d/.test(token.text);
}

function readToken(query: string, at: number, mode: Mode): Lexeme {
  if (at >= query.length) return { kind: 'end', start: query.length, end: query.length };
  if (query[at] === '"') return readString(query, at);
  const [ascii, all] = WORDS[mode];
  const text = matchWord(ascii, all, query, at);
  if (text !== '' && (mode !== 'plain' || !/^-\D/u.test(text))) {
    return mode === 'formula' ? wordToken(at, text) : finishWord(query, at, text);
  }
  const symbol = match(mode === 'plain' ? SYMBOL : FORMULA_SYMBOL, query, at);
  if (isSymbol(symbol)) return { kind: 'symbol', symbol, start: at, end: at + symbol.length };
  return badCharacter(query, at, mode);
}

const WORDS: Readonly<Record<Mode, readonly [RegExp, () => RegExp]>> = {
  plain: [ASCII_WORD, word],
  formula: [ASCII_FORMULA_WORD, formulaWord],
  arithmetic: [ASCII_ARITHMETIC_WORD, arithmeticWord],
};

/** What `all` finds. It is asked only where the word that `ascii` finds ends at a character that just `all` knows. */
function matchWord(ascii: RegExp, all: () => RegExp, query: string, at: number): string {
  const found = match(ascii, query, at);
  const end = at + found.length;
  const next = query[end] === '-' ? end + 1 : end;
  return query.charCodeAt(next) > 0x7f ? match(all(), query, at) : found;
}

function finishWord(query: string, at: number, word: string): Lexeme {
  if (EXPONENT.test(word) || TIME.test(word)) return wordToken(at, word + match(PLUS_DIGITS, query, at + word.length));
  const tail = at + word.length;
  if (!word.endsWith('.') || query[tail] !== '"') return wordToken(at, word);
  const quoted = readString(query, tail);
  if (quoted.kind === 'bad') return quoted;
  return { kind: 'word', text: word, quoted: quoted.value, start: at, end: quoted.end };
}

function wordToken(start: number, text: string): Lexeme {
  return { kind: 'word', text, quoted: null, start, end: start + text.length };
}

function isSymbol(text: string): text is SymbolText {
  return text !== '';
}

/** What people used to other languages type. */
const FOREIGN: readonly (readonly [RegExp, string])[] = [
  [/'/y, 'put strings in double quotes: "…"'],
  [/;/y, 'a query ends without `;`, and its stages begin with `|`'],
  [/--/y, 'a comment begins with `#`'],
  [/&&?/y, 'conditions are joined with `and`'],
  [/!/y, '`not` negates a condition; `!=`, `!~`'],
  [/-\s+\d/y, 'a negative number has no blank after its `-`'],
  [/-/y, 'a name may not start with `-`; put it in quotes'],
];

/** Outside an operand's brackets there are no events, whose names could be in quotes. */
const FOREIGN_IN_FORMULA: readonly (readonly [RegExp, string])[] = [
  [/;/y, 'a query ends without `;`, and its stages begin with `|`'],
  [/\./y, 'write digits before and after the point: 0.5'],
  [/[^]/uy, 'a formula has numbers, parentheses, `+`, `-`, `*`, `/` and operands such as count(event)'],
];

const FOREIGN_IN_ARITHMETIC: readonly (readonly [RegExp, string])[] = [
  [/[^]/uy, 'in arithmetic, put the last part of a name with such characters in quotes: event_properties."unit-price"'],
];

/** What documents and chats make of typed characters, and what was typed. */
const TYPOGRAPHIC: readonly (readonly [RegExp, string])[] = [
  [/[“”„‟«»‘’‚‛＂＇]/u, 'put strings in straight double quotes: "…"'],
  [/[→⇒⟶]/u, 'write `->`'],
  [/[≥⩾]/u, 'write `>=`'],
  [/[≤⩽]/u, 'write `<=`'],
  [/≠/u, 'write `!=`'],
  [/[¦│∣]/u, 'write `|`'],
  [/[−–—‐‑]/u, 'write `-`'],
  [/[×∗]/u, 'write `*`'],
  [/[÷∕]/u, 'write `/`'],
];
/** Characters that nobody sees: blanks of no width, marks of direction, soft hyphens. */
const UNSEEN = /\p{Cf}/u;
/** Full-width forms of ASCII's printed characters, which follow each other as those do. */
const FULL_WIDTH = /[\uff01-\uff5e]/;

function hintOfDocuments(character: string): string | undefined {
  if (UNSEEN.test(character)) return 'remove it: it shows nothing, and may have come with copied text';
  const found = TYPOGRAPHIC.find(([pattern]) => pattern.test(character));
  if (found !== undefined) return found[1];
  if (!FULL_WIDTH.test(character)) return undefined;
  return `write \`${String.fromCharCode(character.charCodeAt(0) - 0xfee0)}\``;
}

/** For `sort -count`, as other languages write it. */
function hintOfDescending(query: string, at: number): string | undefined {
  const before = query.slice(Math.max(0, at - 16), at); // the word and some blanks
  if (query[at] !== '-' || !/\bsort\s+$/iu.test(before)) return undefined;
  const [column] = /^[\w.]*/.exec(query.slice(at + 1)) ?? [];
  return `\`sort ${column || 'count'} desc\` sorts the largest first`;
}

function badCharacter(query: string, at: number, mode: Mode): Lexeme {
  const character = String.fromCodePoint(query.codePointAt(at)!);
  const foreign = { plain: FOREIGN, formula: FOREIGN_IN_FORMULA, arithmetic: FOREIGN_IN_ARITHMETIC }[mode];
  const hint =
    hintOfDocuments(character) ??
    hintOfDescending(query, at) ??
    foreign.find(([pattern]) => match(pattern, query, at) !== '')?.[1];
  const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
  return {
    kind: 'bad',
    message: `unexpected character ${UNSEEN.test(character) ? `U+${code}` : JSON.stringify(character)}`,
    hints: [hint ?? 'put names with such characters in quotes: "…"'],
    start: at,
    end: at + character.length,
  };
}
