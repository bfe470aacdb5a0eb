/** Lines of a file that remain to be sent, and the command for it. */

import type { Again } from './resume-command.ts';

/** Inclusive, from 1. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** Lines whose sending failed. */
interface FailedLines extends LineRange {
  /** No answer says whether the server stored them. */
  readonly isUncertain: boolean;
}

export interface LinesLeft {
  readonly first: number;
  /** Which lines they are, and the command that sends them. */
  readonly hints: readonly string[];
}

/** @param failed In order. @param sent The last line sent: none after it was. @param again For the command. */
export function linesLeft(failed: readonly FailedLines[], sent: number, again: Again): LinesLeft {
  const ranges = joinedRanges([...failed, { first: sent + 1, last: Infinity }]);
  const uncertain = joinedRanges(failed.filter(({ isUncertain }) => isUncertain));
  const isCertain = uncertain.length === 0;
  const { first } = ranges[0]!;
  if (ranges.length === 1) {
    if (isCertain && first === 1) return { first, hints: ['No line was sent.'] };
    const before =
      first === 1 ? [] : [`Lines before line ${first} were sent${isCertain ? '; the rest were not' : ''}.`];
    const resume = `To resume: ${again(`tail -n +${first}`)}`;
    return { first, hints: [...before, ...mayBeStored(uncertain), resume] };
  }
  const rest = ranges.at(-1)!.first;
  const parts = ranges.map((range) => `${range.first},${range.last === Infinity ? '$' : range.last}p`);
  const what = isCertain ? 'Not sent' : 'Not answered or not sent';
  return {
    first,
    hints: [
      `${what}: lines ${spans(ranges.slice(0, -1))} and all from line ${rest} on.`,
      ...mayBeStored(uncertain),
      `To resume: ${again(`sed -n '${parts.join(';')}'`)}`,
    ],
  };
}

/** Ranges in order, those that touch as one. */
function joinedRanges(ranges: readonly LineRange[]): readonly LineRange[] {
  const joined: LineRange[] = [];
  for (const { first, last } of ranges) {
    const before = joined.at(-1);
    if (before?.last === first - 1) joined.splice(-1, 1, { first: before.first, last });
    else joined.push({ first, last });
  }
  return joined;
}

/** A batch is sent again with the ids of before, but the next command makes new ones. */
function mayBeStored(uncertain: readonly LineRange[]): readonly string[] {
  if (uncertain.length === 0) return [];
  return [
    `The server may have stored lines from ${spans(uncertain)}: no answer to them arrived.`,
    'Sent again, lines with an insert_id of their own are stored once; others may be stored twice.',
  ];
}

function spans(ranges: readonly LineRange[]): string {
  return ranges.map(({ first, last }) => `${first} to ${last}`).join(', ');
}
