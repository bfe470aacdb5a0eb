/** Regular expressions in RE2's syntax, searched in time linear in the text whatever the pattern. */
import { RE2JS, RE2JSException } from 're2js';
import { AppError } from '../../base/errors.ts';
import { isLonger } from '../../base/text/longest-name.ts';

/** Most instructions of a compiled pattern: a search takes time proportional to them times the text's length. */
const MAX_PROGRAM = 20_000;

export interface Pattern {
  /** Whether the pattern matches anywhere in the text. */
  test(text: string): boolean;
}

/** Throws AppError `bad_query` for a pattern that RE2 does not accept. */
export function compilePattern(pattern: string): Pattern {
  const compiled = tryCompile(pattern);
  if (typeof compiled === 'string') throw new AppError('bad_query', compiled);
  return compiled;
}

/** Characters of a new pattern. A whole query may have as many of them as fit into it. */
const MAX_PATTERN = 1_000;

/** Microseconds that compiling all patterns of a query may take. */
const MOST_COST = 20_000;

/**
 * Checks the patterns of one query by compiling them, which may take a second. Never where requests are served: there a query with a
 * pattern is text until a thread that can be ended has read it.
 */
export class PatternCheck {
  readonly #stored: ReadonlySet<string>;
  #cost = 0;

  /** @param stored Patterns that may be longer than new ones, as a stored dashboard has them. */
  constructor(stored: readonly string[]) {
    this.#stored = new Set(stored);
  }

  /** Whether it is longer than a new one may be. */
  isTooLong(pattern: string): boolean {
    return isLonger(pattern, MAX_PATTERN) && !this.#stored.has(pattern);
  }

  /** What is wrong with a pattern, for the error at its literal; null if it is valid. */
  problem(pattern: string): string | null {
    if (this.isTooLong(pattern)) {
      const [has, most] = [Array.from(pattern).length, MAX_PATTERN].map((count) => count.toLocaleString('en'));
      return `it has ${has} characters and the limit is ${most}; join several shorter ones with \`or\`, or list whole values with \`in\``;
    }
    this.#cost += patternCost(pattern);
    if (this.#cost > MOST_COST)
      return 'it and those before it are too large together; use smaller repeats, fewer of them, or no wide ranges that ignore case';
    const compiled = tryCompile(pattern);
    return typeof compiled === 'string' ? compiled : null;
  }
}

function tryCompile(pattern: string): RE2JS | string {
  try {
    const compiled = RE2JS.compile(pattern);
    return compiled.programSize() > MAX_PROGRAM
      ? 'this regular expression is too large; use smaller repeats'
      : compiled;
  } catch (error) {
    if (error instanceof RE2JSException) {
      return `not a valid RE2 regular expression: ${error.message.replace('error parsing regexp: ', '')}`;
    }
    throw error;
  }
}

/** Microseconds: of any pattern, of a character, and of an instruction that the pattern is compiled to. */
const ANY = 15;
const CHARACTER = 0.5;
const INSTRUCTION = 0.6;
/** A class like \pL, whose ranges are copied. */
const PROPERTY = 40;
/** A character in a range whose case is ignored: the other cases of each are looked up. */
const FOLDED = 0.02;

/** Names in braces are shorter. */
const LONGEST_NAME = 40;
const IGNORES_CASE = /\(\?[a-zA-Z]*i/;
const REPEAT = /\{(\d{1,9})(?:,(\d{0,9}))?\}/y;
const HEXADECIMAL = /^\\x\{?([0-9a-fA-F]{1,8})/;

/**
 * About how many microseconds it takes to compile a pattern, or to find that it is none, told from its text: each thread that runs
 * the query compiles it again, and a short pattern can take seconds. It may say too much, and for a pattern made for that some
 * twenty times too little.
 */
function patternCost(pattern: string): number {
  return new Estimate(pattern).cost();
}

class Estimate {
  readonly #pattern: string;
  readonly #ignoresCase: boolean;
  #at = 0;
  #cost = ANY;
  /** Instructions so far, those where each open group begins, and those of what a repeat would repeat. */
  #size = 0;
  readonly #groups: number[] = [];
  #repeated = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
    this.#ignoresCase = IGNORES_CASE.test(pattern);
  }

  cost(): number {
    while (this.#at < this.#pattern.length) this.#step();
    return this.#cost + this.#pattern.length * CHARACTER + this.#size * INSTRUCTION;
  }

  #step(): void {
    switch (this.#pattern[this.#at]) {
      case '(':
        this.#groups.push(this.#size);
        this.#at++;
        return;
      case ')':
        this.#repeated = this.#size - (this.#groups.pop() ?? 0);
        this.#at++;
        return;
      case '*':
      case '+':
      case '?':
        this.#size++;
        this.#at++;
        return;
      case '{':
        return this.#repeat();
      case '[':
        this.#class();
        return this.#atom();
      case '\\':
        if (this.#pattern[this.#at + 1] === 'Q') return this.#quoted();
        this.#escape();
        return this.#atom();
      default:
        this.#at++;
        this.#atom();
    }
  }

  #atom(): void {
    this.#repeated = 1;
    this.#size++;
  }

  #repeat(): void {
    REPEAT.lastIndex = this.#at;
    const found = REPEAT.exec(this.#pattern);
    if (found === null) {
      this.#at++;
      return this.#atom();
    }
    const [text, least = '', most = ''] = found;
    const times = Math.max(1, Number(least), Number(most));
    this.#size += this.#repeated * (times - 1);
    this.#repeated *= times;
    this.#at += text.length;
  }

  /** What stands between \Q and \E is literal. */
  #quoted(): void {
    const end = this.#pattern.indexOf('\\E', this.#at);
    const until = end < 0 ? this.#pattern.length : end + 2;
    this.#size += until - this.#at;
    this.#repeated = 1;
    this.#at = until;
  }

  #class(): void {
    this.#at++;
    if (this.#pattern[this.#at] === '^') this.#at++;
    let low: number | null = null;
    for (let first = true; this.#at < this.#pattern.length; first = false) {
      const character = this.#pattern[this.#at];
      if (character === ']' && !first) break;
      if (character === '-' && low !== null && this.#pattern[this.#at + 1] !== ']') {
        this.#at++;
        const high = this.#member();
        if (this.#ignoresCase && high > low) this.#cost += (high - low) * FOLDED;
        low = null;
      } else {
        low = this.#member();
      }
    }
    this.#at++;
  }

  /** Goes past a member of a class; its code point, or 0 if it is none. */
  #member(): number {
    if (this.#pattern[this.#at] === '\\') return this.#escape();
    const code = this.#pattern.codePointAt(this.#at) ?? 0;
    this.#at += code > 0xffff ? 2 : 1;
    if (code !== 0x5b || this.#pattern[this.#at] !== ':') return code;
    const end = this.#pattern.slice(this.#at, this.#at + LONGEST_NAME).indexOf(':]');
    if (end >= 0) this.#at += end + 2; // [:alpha:]
    return 0;
  }

  /** Goes past an escape; its code point if that is written in digits, else 0. */
  #escape(): number {
    const text = this.#pattern.slice(this.#at, this.#at + LONGEST_NAME);
    const isProperty = text[1] === 'p' || text[1] === 'P';
    if (isProperty) this.#cost += PROPERTY;
    const end = (isProperty || text[1] === 'x') && text[2] === '{' ? text.indexOf('}') : 1;
    this.#at += Math.max(1, end) + 1;
    return Number.parseInt(HEXADECIMAL.exec(text)?.[1] ?? '0', 16);
  }
}
