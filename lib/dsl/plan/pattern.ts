/** Regular expressions in RE2's syntax, searched in time linear in the text whatever the pattern. */
import { RE2JS, RE2JSException } from 're2js';
import { AppError } from '../../base/errors.ts';
import { patternCost } from './pattern-cost.ts';

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

/** Microseconds that compiling all patterns of a query may take. */
const MOST_COST = 20_000;

/** Checks the patterns of one query. */
export class PatternCheck {
  #cost = 0;

  /** What is wrong with a pattern, for the error at its literal; null if it is valid. */
  problem(pattern: string): string | null {
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
