/** Errors of a query: a sentence that says what was expected, and the position in the text. */
import { AppError } from '../base/errors.ts';

/** A bare name, and the prefixes that would make it a property where it stands. */
export interface UnknownName {
  readonly name: string;
  readonly prefixes: readonly string[];
}

/** A regular expression that is longer than a new one may be, and how the query writes it. */
export interface LongPattern {
  readonly pattern: string;
  readonly text: string;
}

export interface QueryErrorOptions {
  /** Suggestions, most likely first. */
  readonly hints?: readonly string[];
  /** The unknown bare field name, for `withSuggestions`. */
  readonly unknown?: UnknownName | null;
  /** What is wrong, if that is only its length: stored ones may be longer. */
  readonly longPattern?: LongPattern | null;
}

/** A QueryError as data, without the query. */
export interface Mistake extends Required<QueryErrorOptions> {
  readonly sentence: string;
  readonly position: number;
}

/** A mistake in a query. Its message is the sentence, the query's line as written, and a caret below `position`. */
export class QueryError extends AppError implements Mistake {
  readonly query: string;
  readonly sentence: string;
  readonly position: number;
  readonly hints: readonly string[];
  /** An unknown bare field name; there may be a property of that name. */
  readonly unknown: UnknownName | null;
  readonly longPattern: LongPattern | null;

  constructor(query: string, position: number, sentence: string, options: QueryErrorOptions = {}) {
    const hints = options.hints ?? [];
    const message = `${[sentence, ...hints].join('; ')}\n${pointAt(query, position)}`;
    super('bad_query', message, { position, ...(hints.length > 0 ? { hints } : {}) });
    this.query = query;
    this.sentence = sentence;
    this.position = position;
    this.hints = hints;
    this.unknown = options.unknown ?? null;
    this.longPattern = options.longPattern ?? null;
  }

  get mistake(): Mistake {
    const { sentence, position, hints, unknown, longPattern } = this;
    return { sentence, position, hints, unknown, longPattern };
  }
}

/** The line around a position and, below it, one with the caret. */
export function pointAt(query: string, position: number): string {
  const start = query.lastIndexOf('\n', position - 1) + 1;
  const newline = query.indexOf('\n', position);
  const line = query.slice(start, newline === -1 ? query.length : newline).replace(/\r$/, '');
  return `${line}\n${blanksFor(query.slice(start, position))}^`;
}

/** Blanks as wide as the text on a terminal: tabs stay, East Asian characters and emoji take two columns, marks none. */
function blanksFor(text: string): string {
  if (/^[ -~]*$/.test(text)) return ' '.repeat(text.length);
  const wide = /\p{Emoji_Presentation}|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}/u;
  let blanks = '';
  for (const character of text) {
    if (character === '\t') {
      blanks += '\t';
    } else if (wide.test(character)) {
      blanks += '  ';
    } else if (!/\p{Mark}/u.test(character)) {
      blanks += ' ';
    }
  }
  return blanks;
}
