/** A command line being typed, as shells read it. */

export type Quote = '' | "'" | '"';

export interface TypedLine {
  /** Words before the current one, unquoted; the first is the program's name. */
  readonly before: readonly string[];
  /** The current word so far, unquoted. */
  readonly current: string;
  /** The current word as typed. */
  readonly raw: string;
  /** The quote open at the cursor. */
  readonly quote: Quote;
}

const BLANK = /\s/;
const ASSIGNMENT = /^[A-Za-z_]\w*=/;
const ESCAPED_IN_QUOTES = /["\\$`]/;

/** Reads a line up to the cursor. Variables and substitutions stay as they are written. */
export function readTypedLine(line: string): TypedLine {
  const words: string[] = [];
  let at = 0;
  for (;;) {
    while (at < line.length && BLANK.test(line[at] ?? '')) at += 1;
    const word = readWord(line, at);
    if (word.end >= line.length) {
      const before = words.slice(words.findIndex((one) => !ASSIGNMENT.test(one)));
      return { before: words.length === 0 ? [] : before, current: word.text, raw: line.slice(at), quote: word.quote };
    }
    words.push(word.text);
    at = word.end;
  }
}

/** The text of a word, or of a part of it, without quotes. */
export function unquoted(raw: string): string {
  return readWord(raw, 0).text;
}

/** The word that starts at `start`; `end` is behind it, at the end of the line while it may go on. */
function readWord(line: string, start: number): { text: string; end: number; quote: Quote } {
  let text = '';
  let quote: Quote = '';
  let at = start;
  for (; at < line.length; at += 1) {
    const unit = line[at] ?? '';
    if (quote === '' && BLANK.test(unit)) break;
    if (unit === quote) quote = '';
    else if (quote === '' && (unit === '"' || unit === "'")) quote = unit;
    else if (unit === '\\' && escapes(line[at + 1], quote)) {
      at += 1;
      text += line[at] ?? '';
    } else text += unit;
  }
  return { text, end: at, quote };
}

function escapes(next: string | undefined, quote: Quote): boolean {
  if (next === undefined || quote === "'") return false;
  return quote === '' || ESCAPED_IN_QUOTES.test(next);
}
