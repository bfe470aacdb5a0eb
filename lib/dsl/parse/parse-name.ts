/** Names: events, metrics, fields, whole numbers, durations. */
import { isKeyword } from './keywords.ts';
import { quote } from './lex-string.ts';
import { nearest } from '../../base/text/nearest.ts';
import { METRICS, readMetric, type MetricWord } from '../plan/metrics.ts';
import type { Duration } from '../time/units.ts';
import type { ColumnRef, EventRef, FieldRef, StringRef } from './syntax.ts';
import type { TokenStream } from './token-stream.ts';

/** `*`, a bare name, or a string. A keyword or a name that starts with `-` needs quotes. */
export function parseEvent(tokens: TokenStream, expected = 'expected an event'): EventRef {
  const token = tokens.peek;
  if (token.kind === 'symbol' && token.symbol === '*') {
    tokens.take();
    return { name: null, start: token.start, end: token.end };
  }
  if (token.kind === 'string') {
    tokens.take();
    return { name: token.value, start: token.start, end: token.end };
  }
  if (token.kind !== 'word') return tokens.fail(expected);
  if (token.quoted !== null || token.text.startsWith('-') || isKeyword(token.text)) {
    const name = token.text + (token.quoted ?? '');
    return tokens.fail(expected, { hints: [`put the name of the event in quotes here: ${quote(name)}`] });
  }
  tokens.take();
  return { name: token.text, start: token.start, end: token.end };
}

/** For a word right after the bare `event`, as in `sign up`. */
export function hintsOfTwoWords(tokens: TokenStream, event: EventRef | null): string[] {
  const next = tokens.peek;
  if (event === null || event.name === null || next.kind !== 'word' || next.quoted !== null) return [];
  if (tokens.textOf(event) !== event.name || tokens.query.slice(event.end, next.start).trim() !== '') return [];
  return [`put a name of two words in quotes: ${quote(`${event.name} ${next.text}`)}`];
}

/** The metric whose word is next, which is not consumed. */
export function peekMetric(tokens: TokenStream, expected: string): { word: string; metric: MetricWord } {
  const word = tokens.keyword ?? '';
  const metric = readMetric(word);
  if (metric !== null) return { word, metric };
  const hints = /^p[0-9]+$/.test(word) ? ['percentiles are p1 to p99'] : [];
  return tokens.fail(expected, { words: METRICS, hints });
}

/** A field as written; the binder checks that it exists. */
export function parseField(tokens: TokenStream, expected = 'expected a field'): FieldRef {
  const token = tokens.peek;
  if (token.kind !== 'word' || !atField(tokens)) {
    const hints =
      token.kind === 'string'
        ? ['write a field without quotes; only its last part may have them: event_properties."a key"']
        : [];
    return tokens.fail(expected, { hints });
  }
  tokens.take();
  const name = token.text + (token.quoted ?? '');
  return { name, text: tokens.textOf(token), start: token.start, end: token.end };
}

/** Whether the next token can be a field: a word that is not a keyword. */
export function atField(tokens: TokenStream): boolean {
  const token = tokens.peek;
  return token.kind === 'word' && (token.quoted !== null || !isKeyword(token.text));
}

export function parseString(tokens: TokenStream, expected: string): StringRef {
  const token = tokens.peek;
  if (token.kind !== 'string') {
    const hints = token.kind === 'word' ? [`put it in quotes: ${quote(tokens.textOf(token))}`] : [];
    return tokens.fail(expected, { hints });
  }
  tokens.take();
  return { value: token.value, start: token.start, end: token.end };
}

/** A whole number, `least` or more. */
export function parseCount(tokens: TokenStream, least: 0 | 1): number {
  const token = tokens.peek;
  const text = token.kind === 'word' && token.quoted === null ? token.text : '';
  const count = /^[0-9]+$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(count) || count < least) return tokens.fail(`expected a whole number of at least ${least}`);
  tokens.take();
  return count;
}

const UNITS: ReadonlyMap<string, Duration['unit']> = new Map(
  (
    [['m', 'minute'], ['h', 'hour'], ['d', 'day'], ['w', 'week'], ['mo', 'month'], ['q', 'quarter'], ['y', 'year']] as const
  ).flatMap(([unit, word]) => [unit, word, `${word}s`].map((name) => [name, unit] as const)),
); // prettier-ignore
const EXPECTED_UNIT = 'expected a unit of time: m (minutes), h, d, w, mo (months), q (quarters) or y';

/** `7d`, `7 d`, `7D`, `7 days`. */
export function parseDuration(tokens: TokenStream): Duration {
  const token = tokens.peek;
  const match = token.kind === 'word' && token.quoted === null ? /^([0-9]+)([A-Za-z]*)$/.exec(token.text) : null;
  const count = Number(match?.[1]);
  if (!Number.isSafeInteger(count) || count < 1) {
    const unit = UNITS.get(tokens.keyword ?? '');
    const hints = unit === undefined ? [] : [`did you mean \`1${unit}\`?`];
    return tokens.fail('expected a duration such as `7d`: a whole number of at least 1, and a unit', { hints });
  }
  let unit = match?.[2] ?? '';
  const before = unit === '' ? '' : String(count); // in the same word
  if (unit === '') {
    tokens.take();
    unit = tokens.keyword ?? '';
  }
  const known = UNITS.get(unit.toLowerCase());
  if (known === undefined) {
    const meant = nearestUnit(unit);
    return tokens.fail(EXPECTED_UNIT, { hints: meant === null ? [] : [`did you mean \`${before}${meant}\`?`] });
  }
  tokens.take();
  return { count, unit: known };
}

/** For `mins`, `hrs`, `dayz`: a unit that begins the same way, or is spelt nearly so. */
function nearestUnit(text: string): string | null {
  const [start, words] = [text.slice(0, 3).toLowerCase(), [...UNITS.keys()].filter((name) => name.length > 2)];
  const same = start.length < 3 ? undefined : words.find((word) => word.startsWith(start));
  return same ?? nearest(text, words);
}

/** A name, a string, or `metric(field)`, as the answer prints it. Keywords are ordinary names here. */
export function parseColumn(tokens: TokenStream, expected = 'expected a column of the answer'): ColumnRef {
  const token = tokens.peek;
  if (token.kind !== 'word' && token.kind !== 'string') return tokens.fail(expected);
  tokens.take();
  if (token.kind === 'string') return { text: token.value, start: token.start, end: token.end };
  let end = token.end;
  if (token.quoted === null && tokens.atSymbol('[')) {
    skipFilter(tokens);
    end = tokens.end;
  } else if (token.quoted === null && tokens.takeSymbol('(')) {
    while (!tokens.atSymbol(')')) {
      const inner = tokens.peek;
      if (inner.kind !== 'word' && inner.kind !== 'string' && !tokens.atSymbol(',') && !tokens.atSymbol('*')) {
        tokens.fail('expected `)` after the field of the column');
      }
      tokens.take();
    }
    end = tokens.take().end;
  }
  return { text: tokens.query.slice(token.start, end), start: token.start, end };
}

/** The filter of a metric, which is compared as it is printed. */
function skipFilter(tokens: TokenStream): void {
  let depth = 0;
  do {
    if (tokens.peek.kind === 'end' || tokens.peek.kind === 'bad') tokens.fail('expected `]`');
    if (tokens.atSymbol('[')) depth++;
    if (tokens.atSymbol(']')) depth--;
    tokens.take();
  } while (depth > 0);
}
