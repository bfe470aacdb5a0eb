/** A group after `by`: a time bucket, a part of the calendar, who is in a cohort, a field, its numbers in bins, the elements of its arrays. */
import { parseNumberField } from './parse-arithmetic.ts';
import { PARTS, readPart } from '../time/calendar-parts.ts';
import { BUCKETS, readBucket } from './keywords.ts';
import { parseCohort } from './parse-condition.ts';
import { parseField } from './parse-name.ts';
import type { GroupNode } from './syntax.ts';
import type { TokenStream } from './token-stream.ts';

const EXPECTED = `expected a field or one of ${[...BUCKETS, ...PARTS].join(', ')}`;

export function parseGroup(tokens: TokenStream): GroupNode {
  const first = tokens.peek;
  const { start } = first;
  const word = tokens.keyword ?? '';
  const unit = readBucket(word);
  const part = readPart(word);
  if (unit !== null || part !== null) {
    tokens.take();
    const named = { text: tokens.textOf(first), start, end: first.end };
    return unit !== null ? { kind: 'bucket', unit, ...named } : { kind: 'part', part: part!, ...named };
  }
  if (word === 'cohort') {
    const node = parseCohort(tokens);
    return { ...node, text: tokens.query.slice(start, tokens.end), start, end: tokens.end };
  }
  const isEach = word === 'each';
  if (isEach) tokens.take();
  const field = isEach ? parseField(tokens, 'expected a field after `each`') : parseNumberField(tokens, EXPECTED);
  const named = (end: number) => ({ text: tokens.query.slice(start, end), start, end });
  if (isEach) return { kind: 'field', field, each: true, ...named(field.end) };
  if (field.arithmetic !== undefined && tokens.keyword !== 'bin') {
    tokens.fail('expected `bin` and a width: numbers that are computed are divided by bins', { words: ['bin'] });
  }
  if (!tokens.takeKeyword('bin')) return { kind: 'field', field, ...named(field.end) };
  const { end } = tokens.peek;
  return { kind: 'field', field, bin: parseWidth(tokens), ...named(end) };
}

const NUMBER = /^[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

function parseWidth(tokens: TokenStream): number {
  const token = tokens.peek;
  const width = token.kind === 'word' && NUMBER.test(token.text) ? Number(token.text) : NaN;
  if (!(width > 0) || !Number.isFinite(width)) return tokens.fail('expected the width of a bin: a number above 0');
  tokens.take();
  return width;
}
