/** Completion inside a query: the language's proposals, with names from the server. */
// oxlint-disable-next-line no-restricted-imports -- words and nothing else: completion must know those of the language
import { gapIn, wordsFor } from '../../dsl/hints/complete.ts';

export interface Candidate {
  readonly value: string;
  readonly about: string;
}

/** The query's possible continuations at the cursor. */
export async function completeQuery(
  query: string,
  events: () => Promise<readonly string[]>,
): Promise<readonly Candidate[]> {
  const gap = gapIn(query);
  const names = { events: gap.wants.includes('event') ? await events() : [], fields: [] };
  const before = query.slice(0, gap.start);
  return wordsFor(gap, names).map(({ text, kind }) => ({ value: before + text, about: kind }));
}
