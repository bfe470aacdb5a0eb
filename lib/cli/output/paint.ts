export type Styled = (text: string) => string;

/** How to highlight parts of a table. */
export interface Paint {
  readonly plain: Styled;
  readonly bold: Styled;
  readonly dim: Styled;
}

const plain: Styled = (text) => text;

/** Wraps texts in ANSI sequences, or leaves them as they are. */
export function paint(color: boolean): Paint {
  if (!color) return { plain, bold: plain, dim: plain };
  return { plain, bold: (text) => `\u001B[1m${text}\u001B[22m`, dim: (text) => `\u001B[2m${text}\u001B[22m` };
}
