export type Styled = (text: string) => string;

/** How parts of a table stand out. */
export interface Paint {
  readonly plain: Styled;
  readonly bold: Styled;
  readonly dim: Styled;
}

const plain: Styled = (text) => text;

/** Texts between the sequences that ANSI terminals know, or as they are. */
export function paint(color: boolean): Paint {
  if (!color) return { plain, bold: plain, dim: plain };
  return { plain, bold: (text) => `\u001B[1m${text}\u001B[22m`, dim: (text) => `\u001B[2m${text}\u001B[22m` };
}
