/** Errors for people at a terminal: what may have been meant first, then the place in the query, then what was expected. */
import { printable } from '../text.ts';
import { cutTo, displayWidth } from './display-width.ts';
import { paint } from './paint.ts';
import type { TableStyle } from './table.ts';

/** `…; did you mean `count`?`, in a server's or a command's sentence. */
const SUGGESTION = /(?:; |, )?(did you mean (?:`[^`]+`|"[^"]+"|[^\s`"]+)\?)/;
/** The wrong word, from the caret on: a quoted name, a word, or one character. */
const WORD = /"(?:[^"\\]|\\.)*"?|[\p{L}\p{M}\p{N}_:./$-]+|\S/uy;

/** Lines for `Terminal.sayStyled`. `message` may end in a line of the query and one with a caret below it. */
export function errorText(message: string, hints: readonly string[], { width, color }: TableStyle): string {
  const brush = paint(color);
  const { sentence, line, caret } = partsOf(printable(message));
  const [, suggestion] = SUGGESTION.exec(sentence) ?? [];
  const rest = suggestion === undefined ? sentence : sentence.replace(SUGGESTION, '');
  const place = line === null ? [] : placeLines(line, caret, { width, color });
  const told =
    suggestion === undefined ? [rest, ...place] : [brush.bold(capital(suggestion)), ...place, `  ${capital(rest)}`];
  return [`${brush.red('wl:')} ${told[0]}`, ...told.slice(1), ...hints.map((hint) => `  ${printable(hint)}`)].join(
    '\n',
  );
}

function partsOf(message: string): { sentence: string; line: string | null; caret: number } {
  const lines = message.split('\n');
  const caret = /^(\s*)\^$/.exec(lines.at(-1) ?? '')?.[1];
  const line = lines.at(-2);
  if (caret === undefined || line === undefined) return { sentence: message, line: null, caret: 0 };
  return { sentence: lines.slice(0, -2).join('\n'), line, caret: displayWidth(caret) };
}

/** The query's line with the wrong word in colour, and carets below it; of a long line, what is around the word. */
function placeLines(line: string, caret: number, { width, color }: TableStyle): readonly string[] {
  const brush = paint(color);
  const room = Math.max(8, width - INDENT.length);
  const start = unitAt(line, caret);
  WORD.lastIndex = start;
  const word = WORD.exec(line)?.[0] ?? '';
  const before = displayWidth(line.slice(0, start));
  const isLong = displayWidth(line) > room && before > room / 2;
  const lead = isLong ? `…${line.slice(unitAt(line, before - Math.floor(room / 2) + 1), start)}` : line.slice(0, start);
  const shown = cutTo(word, room - displayWidth(lead));
  const tail = cutTo(line.slice(start + word.length), room - displayWidth(lead) - displayWidth(shown));
  const carets = '^'.repeat(Math.max(1, displayWidth(shown)));
  return [
    `${INDENT}${lead}${brush.red(shown)}${tail}`,
    `${INDENT}${' '.repeat(displayWidth(lead))}${brush.red(carets)}`,
  ];
}

const INDENT = '    ';

/** Where in the text a terminal column is, in UTF-16 units. */
function unitAt(text: string, column: number): number {
  let [units, width] = [0, 0];
  for (const character of text) {
    if (width >= column) break;
    width += displayWidth(character);
    units += character.length;
  }
  return units;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
