/**
 * `wl __complete <shell> <line> [piece]`, which the scripts of `wl completion` call at each press of Tab. `line` is the input up
 * to the cursor; `piece` is bash's idea of the current word, which also ends at `=` and `:`. Prints a line that tells the shell
 * what to do (`words`, `partial`: no blank after it, `files`), then the candidates, one a line.
 */
import { CATALOG } from '../catalog.ts';
import type { Terminal } from '../terminal.ts';
import { printable } from '../text.ts';
import { candidatesFor, type Candidate, type Candidates, type Names } from './candidates.ts';
import { projectNames } from './project-names.ts';

/** Never prints an error: it would land in the line being typed. */
export async function complete([shell = '', line = '', piece]: readonly string[], terminal: Terminal): Promise<number> {
  const typed = readTypedLine(line);
  const found = await candidates(typed);
  if (found === null) return 1;
  const shown = found.values.filter(({ value }) => !/\p{Cc}/u.test(value) && printable(value) === value);
  const lines = shown.map((one) => (shell === 'bash' ? bashWord(one, typed, piece ?? typed.raw) : described(one)));
  // Bash always closes a quote after a single candidate. With two it keeps their common beginning.
  if (shell === 'bash' && found.partial && typed.quote !== '' && lines.length === 1) lines.push(`${lines[0]} `);
  terminal.print([found.files ? 'files' : found.partial ? 'partial' : 'words', ...lines].join('\n'));
  return 0;
}

async function candidates({ before, current }: TypedLine): Promise<Candidates | null> {
  const names: Names = (kind, words) => projectNames(kind, words, process.env, process.cwd()).catch(() => []); // no server or no key: no names
  try {
    return await candidatesFor({ before: before.slice(1), current }, CATALOG, names);
  } catch {
    return null;
  }
}

/** For zsh and fish, which quote themselves. */
function described({ value, about }: Candidate): string {
  return about === '' ? value : `${value}\t${about.replace(/\s+/gu, ' ')}`;
}

/** The replacement for `piece`, quoted as needed there. */
function bashWord({ value }: Candidate, { raw, quote }: TypedLine, piece: string): string {
  const kept = /^[=:]+$/.test(piece) ? raw : raw.slice(0, raw.length - piece.length);
  const text = value.slice(unquoted(kept).length);
  switch (quote) {
    case "'":
      return text.replaceAll("'", "'\\''");
    case '"':
      return text.replace(/["\\$`]/g, '\\$&');
    default:
      return text.replace(/[^\p{L}\p{M}\p{N}_@%+=:,./-]/gu, '\\$&');
  }
}

type Quote = '' | "'" | '"';

interface TypedLine {
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
