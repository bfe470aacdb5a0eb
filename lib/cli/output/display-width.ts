/** Measures text in terminal columns: a Chinese character or an emoji takes two, a combining mark none. */
import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';

export type Align = 'left' | 'right';
export type Styled = (text: string) => string;

const ELLIPSIS = '…';
const PLAIN = /^[ -~]*$/;
/** How many characters to cache the width of, and their size: string-width tests each against large tables. */
const MAX_KNOWN = 4096;
const MAX_KNOWN_UNITS = 16;
const known = new Map<string, number>();
/** Created for the first text that needs it: it takes milliseconds. */
let graphemes: Intl.Segmenter | undefined;

/** The width of a text in columns. Stops counting above `most`. */
export function displayWidth(text: string, most = Number.POSITIVE_INFINITY): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of charactersOf(text)) {
    width += widthOf(segment);
    if (width > most) break;
  }
  return width;
}

/** The text in exactly `width` columns, padded or cut; `styled` may wrap it in sequences of no width. */
export function fit(text: string, width: number, align: Align, styled: Styled): string {
  const cut = shorten(text, width);
  const padding = ' '.repeat(width - cut.width);
  return align === 'right' ? padding + styled(cut.text) : styled(cut.text) + padding;
}

/** At most `width` columns of the text, cut between visible characters; if cut, it ends in an ellipsis. */
export function cutTo(text: string, width: number): string {
  return shorten(text, width).text;
}

/** The text in lines of at most `width` columns, broken at blanks; a wider word gets its own line and stays whole. */
export function wrapTo(text: string, width: number): string[] {
  if (displayWidth(text, width) <= width) return [text];
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && displayWidth(longer, width) > width) lines.push(word);
    else lines[Math.max(0, lines.length - 1)] = longer;
  }
  return lines;
}

/**
 * Each line of the text in lines of at most `width` columns, which begin where its own text does. A line with a caret below it stays
 * whole: the caret would point elsewhere.
 */
export function wrapLines(text: string, width: number): string {
  const lines = text.split('\n');
  const isCaret = (line: string | undefined): boolean => /^\s*\^+$/.test(stripVTControlCharacters(line ?? ''));
  return lines
    .flatMap((line, at) => {
      if (isCaret(line) || isCaret(lines[at + 1])) return [line];
      const indent = /^\s*/.exec(line)?.[0] ?? '';
      return wrapTo(line.slice(indent.length), Math.max(1, width - indent.length)).map((part) => indent + part);
    })
    .join('\n');
}

/** Like `cutTo`, with the resulting width. */
function shorten(text: string, width: number): { text: string; width: number } {
  if (PLAIN.test(text)) return text.length <= width ? { text, width: text.length } : ended(text, width - 1, width - 1);
  let total = 0;
  let kept = { units: 0, width: 0 }; // what leaves room for the ellipsis
  for (const { segment, index } of charactersOf(text)) {
    total += widthOf(segment);
    if (total > width) return ended(text, kept.units, kept.width);
    if (total < width) kept = { units: index + segment.length, width: total };
  }
  return { text, width: total };
}

function ended(text: string, units: number, width: number): { text: string; width: number } {
  return width < 0 ? { text: '', width: 0 } : { text: text.slice(0, units) + ELLIPSIS, width: width + 1 };
}

function charactersOf(text: string): Intl.Segments {
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return graphemes.segment(text);
}

function widthOf(character: string): number {
  const before = known.get(character);
  if (before !== undefined) return before;
  const width = stringWidth(character);
  if (known.size < MAX_KNOWN && character.length <= MAX_KNOWN_UNITS) known.set(character, width);
  return width;
}
