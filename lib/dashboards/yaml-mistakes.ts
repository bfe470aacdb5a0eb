/** Mistakes in the YAML itself, in words for people who write queries into it. */
import type { Document, LineCounter } from 'yaml';
import type { Problem } from './problem.ts';

const SEVERAL = 'The file has several YAML documents: put each dashboard in its own file.';
/** Starts something other than text in YAML, and often a query. */
const SPECIAL_START = /^\s*(?:- +)*(?:[\w-]+|"[^"]*"|'[^']*') *: +([*{["'|>@%&!`])/;
const COLON = /: .*: /;

/** One for each line: what comes after the first is mostly its consequence. */
export function yamlMistakes(text: string, { errors, warnings }: Document, lines: LineCounter): readonly Problem[] {
  const problems: Problem[] = [];
  for (const { code, message, pos } of [...errors, ...warnings].toSorted((a, b) => a.pos[0] - b.pos[0])) {
    const { line, col: column } = lines.linePos(pos[0]);
    const last = problems.at(-1)?.line ?? 0;
    if (line === last || (line === last + 1 && column === 1)) continue;
    const told =
      code === 'MULTIPLE_DOCS' ? SEVERAL : `The YAML cannot be read: ${message}${hintFor(lineAt(text, lines, line))}`;
    problems.push({ line, column, message: told });
  }
  return problems;
}

function hintFor(line: string): string {
  const [, start] = SPECIAL_START.exec(line) ?? [];
  if (start !== undefined)
    return `; put a text that begins with ${start} in quotes ('…'), or in the lines below a \`|\``;
  return COLON.test(line) ? "; put a text with a colon and a space in quotes ('…')" : '';
}

function lineAt(text: string, { lineStarts }: LineCounter, line: number): string {
  return text.slice(lineStarts[line - 1], lineStarts[line]);
}
