import type { Explanation } from './questions.ts';

/** How a query ran, as lines: the plan after the last pass that changed it, and where the time went. */
export function explanationText({ passes, parts, times, rows_scanned: rows }: Explanation): string {
  const plan = passes.filter(({ changed }) => changed).at(-1)?.plan ?? [];
  const width = Math.max(...times.map(({ stage }) => stage.length), 0);
  return [
    ...plan,
    '',
    ...times.map(({ stage, ms }) => `${stage.padEnd(width)}  ${ms.toFixed(1).padStart(8)} ms`),
    '',
    `${rows.toLocaleString()} rows scanned in ${parts.length} ${parts.length === 1 ? 'part' : 'parts'}`,
  ].join('\n');
}
