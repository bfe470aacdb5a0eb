/** Colours of a terminal, as ANSI sequences. */
import type { PrintedCell } from './cell.ts';
import type { Styled } from './display-width.ts';

/** How to highlight parts of what is shown. */
export interface Paint {
  readonly plain: Styled;
  readonly bold: Styled;
  readonly dim: Styled;
  readonly red: Styled;
  readonly green: Styled;
  readonly yellow: Styled;
  /** On a ground as dark as the share, 0 to 1, says. */
  readonly shade: (text: string, share: number) => string;
}

const plain: Styled = (text) => text;

const between =
  (begin: string, end: string): Styled =>
  (text) =>
    `\u001B[${begin}m${text}\u001B[${end}m`;

const COLORED: Paint = {
  plain,
  bold: between('1', '22'),
  dim: between('2', '22'),
  red: between('31', '39'),
  green: between('32', '39'),
  yellow: between('33', '39'),
  shade: (text, share) => (share > 0 ? (SHADES[levelOf(share)] ?? plain)(text) : COLORED.dim(text)),
};

const PLAIN: Paint = { ...COLORED, bold: plain, dim: plain, red: plain, green: plain, yellow: plain, shade: plain };

/** Of the 256 colours: the ground, and text that can be read on it, on a light terminal and on a dark one. */
const SHADES: readonly Styled[] = [
  between('38;5;231;48;5;23', '39;49'),
  between('38;5;231;48;5;30', '39;49'),
  between('38;5;16;48;5;37', '39;49'),
  between('38;5;16;48;5;44', '39;49'),
];
const GLYPHS = ['░', '▒', '▓', '█'];

/** Wraps texts in sequences, or leaves them as they are. */
export function paint(color: boolean): Paint {
  return color ? COLORED : PLAIN;
}

/** A cell that shows its shade without colours: `▓ 56%`. */
export function withShadeAsText(cell: PrintedCell): PrintedCell {
  const { text, shade } = cell;
  if (shade === undefined) return cell;
  return { ...cell, text: `${shade > 0 ? GLYPHS[levelOf(shade)] : ' '}${text.padStart(4)}` };
}

/** 0 to 3: a quarter each, the last with 1. */
function levelOf(share: number): number {
  return Math.min(3, Math.floor(share * 4));
}
