/** Completion inside a query: sources and events where it reads, stages after a pipe. */
// oxlint-disable-next-line no-restricted-imports -- words and nothing else: completion must know those of the language
import { isKeyword, METRICS, SOURCES, STAGES } from '../../dsl/keywords.ts';
import { quoted } from '../query/ask.ts';
import type { Candidate } from './candidates.ts';

/** What may stand in a query without quotes. */
const BARE = /^[\p{L}\p{N}_:./$][\p{L}\p{M}\p{N}_:./$-]*$/u;
/** Behind these an event is named. */
const BEFORE_EVENT = /(?:->|\b(?:funnel|retention|lifecycle|stickiness|inspect|returning|exclude|count\s*\(|paths\s+(?:from|to))|,)\s*$/iu; // prettier-ignore
const PARTIAL_NAME = /(?:"(?:[^"\\]|\\.)*|[\p{L}\p{M}\p{N}_:./$]*)$/u;

/** The query as it may go on after the cursor. */
export async function completeQuery(
  query: string,
  events: () => Promise<readonly string[]>,
): Promise<readonly Candidate[]> {
  const parts = splitAtPipes(query);
  const part = parts.at(-1) ?? '';
  const partial = PARTIAL_NAME.exec(part)?.[0] ?? '';
  const before = part.slice(0, part.length - partial.length);
  const start = query.slice(0, query.length - partial.length);
  const goOn = (words: readonly string[], about: string): Candidate[] => words.map((word) => ({ value: start + word, about })); // prettier-ignore

  if (parts.length > 1) return before.trim() === '' ? goOn([...METRICS, ...STAGES], 'stage') : [];
  const isStart = before.trim() === '';
  if (!isStart && !BEFORE_EVENT.test(before)) return [];
  const names = (await events()).map((name) => (partial.startsWith('"') || !isBare(name) ? quoted(name) : name));
  return [...goOn(names, 'event'), ...(isStart ? goOn(SOURCES, 'source') : [])];
}

/** The parts between pipes; a pipe in a string is none. */
function splitAtPipes(query: string): string[] {
  const parts = [''];
  for (const [text] of query.matchAll(/"(?:[^"\\]|\\.)*"?|[^"|]+|\|/gsu)) {
    if (text === '|') parts.push('');
    else parts[parts.length - 1] += text;
  }
  return parts;
}

function isBare(name: string): boolean {
  return BARE.test(name) && !isKeyword(name);
}
