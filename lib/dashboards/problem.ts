/** What is wrong with a file, and where. */
import { shortened } from '../base/text/shown.ts';

const MAX_PROBLEMS = 100;
/** Longer problems are cut: they may repeat a key or a name that has as many characters as the file. UTF-16 units. */
const MAX_MESSAGE = 1_000;

export interface Problem {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  readonly message: string;
}

/** A problem of the whole file. */
export function atStart(message: string): Problem {
  return { line: 1, column: 1, message };
}

/** As editors and terminals expect it: `file:line:column message`. */
export function problemLine(file: string, { line, column, message }: Problem): string {
  return `${file}:${line}:${column} ${message}`;
}

/** As they are shown: by position, not too many and not too long. */
export function toldProblems(problems: readonly Problem[]): readonly Problem[] {
  const sorted = problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
  const left = sorted.length - MAX_PROBLEMS;
  const more =
    left > 0 ? [{ ...atStart(`${left} more problems are not listed.`), line: sorted.at(-1)?.line ?? 1 }] : [];
  const told = sorted.slice(0, MAX_PROBLEMS);
  return [...told.map((problem) => ({ ...problem, message: shortened(problem.message, MAX_MESSAGE) })), ...more];
}
