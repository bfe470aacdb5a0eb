/** Lines of Markdown. What is here takes time proportional to the text: a card's author must not freeze its readers' pages. */

/** `## Title ##`: how many marks are before it, and its text. */
export function headingIn(line: string): { readonly depth: number; readonly text: string } | null {
  const [marks] = /^#{1,6}(?=\s)/.exec(line) ?? [];
  if (marks === undefined) return null;
  let end = line.length;
  while (end > marks.length && ' #'.includes(line.charAt(end - 1))) end -= 1;
  return { depth: marks.length, text: line.slice(marks.length, end).trim() };
}

/** The first later line for which `ends` is true. */
export function endOf(lines: readonly string[], at: number, ends: (line: string) => boolean): number {
  for (let index = at + 1; index < lines.length; index += 1) if (ends(lines[index] ?? '')) return index;
  return lines.length;
}
