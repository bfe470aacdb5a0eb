/** Lines of a file that remain to be sent, and the command for it. */

/** Inclusive, from 1. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

export interface LinesLeft {
  readonly first: number;
  /** Which lines they are, and the command that sends them. */
  readonly hints: readonly string[];
}

/** @param failed Lines whose sending failed, in order. @param sent The last line sent: none after it was. */
export function linesLeft(failed: readonly LineRange[], sent: number): LinesLeft {
  const ranges: LineRange[] = [];
  for (const range of [...failed, { first: sent + 1, last: Infinity }]) {
    const before = ranges.at(-1);
    if (before?.last === range.first - 1) ranges.splice(-1, 1, { first: before.first, last: range.last });
    else ranges.push(range);
  }
  const { first } = ranges[0]!;
  if (ranges.length === 1 && first === 1) return { first, hints: ['No line was sent.'] };
  if (ranges.length === 1) {
    return {
      first,
      hints: [
        `Lines before line ${first} were sent; the rest were not.`,
        `To resume: tail -n +${first} FILE | wl track --stdin`,
      ],
    };
  }
  const within = ranges.slice(0, -1).map((range) => `${range.first} to ${range.last}`);
  const rest = ranges.at(-1)!.first;
  const parts = ranges.map((range) => `${range.first},${range.last === Infinity ? '$' : range.last}p`);
  return {
    first,
    hints: [
      `Not sent: lines ${within.join(', ')} and all from line ${rest} on.`,
      `To resume: sed -n '${parts.join(';')}' FILE | wl track --stdin`,
    ],
  };
}
