/** Strings of a query: double quotes; `\"`, `\\`, `\n`, `\t` and `\uXXXX`; may contain raw newlines. */
import type { Span } from './syntax.ts';

export type StringToken = Span &
  (
    | { readonly kind: 'string'; readonly value: string }
    | { readonly kind: 'bad'; readonly message: string; readonly hints: readonly string[] }
  );

const PLAIN = /[^"\\]*/y;
const ESCAPE = /\\(?:["\\nt]|u[0-9a-fA-F]{4})/y;
const MEANINGS: Record<string, string> = { '\\"': '"', '\\\\': '\\', '\\n': '\n', '\\t': '\t' };

/** Reads the string whose quote is at `start`. A bad escape is an error at its backslash, a missing end one at the start. */
export function readString(query: string, start: number): StringToken {
  let value = '';
  let at = start + 1;
  for (;;) {
    const plain = match(PLAIN, query, at);
    value += plain;
    at += plain.length;
    if (at >= query.length) return bad(start, query.length, 'expected a closing `"`: the string is not closed', []);
    // A half of a character is stored as U+FFFD, so it is looked for as that.
    if (query[at] === '"') return { kind: 'string', value: value.toWellFormed(), start, end: at + 1 };
    const escape = match(ESCAPE, query, at);
    if (escape === '') {
      const escapes = 'expected a valid escape: \\" \\\\ \\n \\t or \\uXXXX';
      return bad(at, Math.min(at + 2, query.length), escapes, ['a backslash itself is written `\\\\`']);
    }
    value += MEANINGS[escape] ?? String.fromCharCode(Number.parseInt(escape.slice(2), 16));
    at += escape.length;
  }
}

/** A string as the language writes it. */
export function quote(text: string): string {
  const escaped = text.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  return `"${escaped}"`;
}

/** What a sticky pattern finds at a place; '' for nothing. */
export function match(pattern: RegExp, query: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(query)?.[0] ?? '';
}

function bad(start: number, end: number, message: string, hints: readonly string[]): StringToken {
  return { kind: 'bad', message, hints, start, end };
}
