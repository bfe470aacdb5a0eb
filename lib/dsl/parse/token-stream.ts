/** The tokens of a query, read one at a time, with errors that point at the one that does not fit. */
import { QueryError } from '../errors.ts';
import { type SymbolText, type Lexeme, lex } from './lex.ts';
import { nearest } from '../../base/text/nearest.ts';

export interface Expectation {
  /** Words that fit here; a near miss gets a suggestion. */
  readonly words?: readonly string[];
  readonly hints?: readonly string[];
}

export class TokenStream {
  readonly query: string;
  readonly #tokens: readonly Lexeme[];
  #next = 0;
  /** Where the last token that was consumed ends. */
  end = 0;

  constructor(query: string) {
    this.query = query;
    this.#tokens = lex(query);
  }

  get peek(): Lexeme {
    const token = this.#tokens[this.#next];
    if (token === undefined) throw new Error('no token: the stream ends with `end` or `bad`');
    return token;
  }

  /** Consumes the next token. The last one (`end`, `bad`) stays. */
  take(): Lexeme {
    const token = this.peek;
    this.end = token.end;
    this.#next = Math.min(this.#next + 1, this.#tokens.length - 1);
    return token;
  }

  atSymbol(symbol: SymbolText): boolean {
    const token = this.peek;
    return token.kind === 'symbol' && token.symbol === symbol;
  }

  /** Whether a parenthesis is next that holds arithmetic. */
  get atArithmetic(): boolean {
    const token = this.peek;
    return token.kind === 'symbol' && token.arithmetic === true;
  }

  /** Consumes the symbol if it is next. */
  takeSymbol(symbol: SymbolText): boolean {
    const found = this.atSymbol(symbol);
    if (found) this.take();
    return found;
  }

  expectSymbol(symbol: SymbolText): Lexeme {
    if (!this.atSymbol(symbol)) this.fail(`expected \`${symbol}\``);
    return this.take();
  }

  /** The next token as a word in lower case, or null if it is not one. A field with a quoted part is not a keyword. */
  get keyword(): string | null {
    const token = this.peek;
    return token.kind === 'word' && token.quoted === null ? token.text.toLowerCase() : null;
  }

  /** Consumes the keyword if it is next. */
  takeKeyword(word: string): boolean {
    const found = this.keyword === word;
    if (found) this.take();
    return found;
  }

  /** Whether the word after the next token is this one. */
  isBefore(word: string): boolean {
    const token = this.#tokens[this.#next + 1];
    return token?.kind === 'word' && token.quoted === null && token.text.toLowerCase() === word;
  }

  /** Whether a parenthesis follows the next token. */
  get isBeforeParenthesis(): boolean {
    const token = this.#tokens[this.#next + 1];
    return token?.kind === 'symbol' && token.symbol === '(';
  }

  /** Whether a string follows the next token. */
  get isBeforeString(): boolean {
    return this.#tokens[this.#next + 1]?.kind === 'string';
  }

  textOf(token: { readonly start: number; readonly end: number }): string {
    return this.query.slice(token.start, token.end);
  }

  /** Throws the QueryError for a token that does not fit; a bad token brings its own message. */
  fail(expected: string, expectation: Expectation = {}): never {
    const token = this.peek;
    if (token.kind === 'bad') throw new QueryError(this.query, token.start, token.message, { hints: token.hints });
    if (token.kind === 'word' && token.text.startsWith('//')) return this.#failAtComment(expected, token);
    const { words = [], hints = [] } = expectation;
    const close = token.kind === 'word' && token.quoted === null ? nearest(token.text, words) : null;
    const found = token.kind === 'end' ? 'the query ends here' : `found \`${this.#excerpt(token)}\``;
    throw new QueryError(this.query, token.start, `${expected}, ${found}`, {
      hints: close === null ? hints : [`did you mean \`${close}\`?`, ...hints],
    });
  }

  #failAtComment(expected: string, token: Lexeme): never {
    throw new QueryError(this.query, token.start, `${expected}, found \`${this.#excerpt(token)}\``, {
      hints: ['a comment begins with `#`'],
    });
  }

  #excerpt(token: Lexeme): string {
    const text = this.textOf(token);
    return text.length <= 40 ? text : `${text.slice(0, 39)}…`;
  }
}
