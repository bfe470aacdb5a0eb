import type { Cell } from './cell.ts';
import { cutTo, displayWidth, fit } from './display-width.ts';
import type { Paint } from './paint.ts';

const GAP = '  ';

/** Rows as records, `name  value` a line, for tables with more columns than fit a terminal. Never cuts numbers. */
export function recordLines(
  names: readonly string[],
  rows: readonly (readonly Cell[])[],
  width: number,
  brush: Paint,
): string[] {
  const longest = names.reduce((most, name) => Math.max(most, displayWidth(name)), 0);
  const nameWidth = Math.max(1, Math.min(longest, Math.floor((width - GAP.length) / 2)));
  const valueWidth = Math.max(1, width - nameWidth - GAP.length);
  return rows.flatMap((row, index) => [
    brush.dim(cutTo(`── ${index + 1} `.padEnd(nameWidth + GAP.length, '─'), width)),
    ...row.map(({ text, kind }, i) => {
      const value = kind === 'number' ? text : cutTo(text, valueWidth);
      const name = fit(names[i] ?? '', nameWidth, 'left', brush.bold);
      return `${name}${GAP}${(kind === 'null' ? brush.dim : brush.plain)(value)}`.trimEnd();
    }),
  ]);
}
