/** What is wrong with a dashboard's file, and where. */
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
