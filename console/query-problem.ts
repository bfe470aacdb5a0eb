/** What is wrong with a query, as people read it: the suggestion first, then what was found, then all that could stand there. */

export interface ReadProblem {
  /** What each button puts in place of the wrong word, likeliest first. */
  readonly fixes: readonly string[];
  /** Hints that propose no other word. */
  readonly hints: readonly string[];
  readonly sentence: string;
  /** What else could stand there, if that is much; null: the sentence has it. */
  readonly others: { readonly of: string; readonly words: string } | null;
}

const PROPOSES = /^(?:did you mean|there is|put it in quotes:) ?`?("(?:[^"\\]|\\.)*"|[^`?]+)`?\??$/;
const LIST = /^expected ([^:`]{3,60}): (.+), (found `.+`|the query ends here)$/s;

/** More words than this are hidden until somebody asks for them. */
const MOST_WORDS = 8;

/** `message`: of the server, whose first line has the sentence and then the hints. */
export function readProblem(message: string, hints: readonly string[]): ReadProblem {
  const [line = ''] = message.split('\n', 1); // the lines after it show the place, for terminals
  const sentence = hints.reduceRight((text, hint) => (text.endsWith(`; ${hint}`) ? text.slice(0, -hint.length - 2) : text), line);
  const proposed = hints.map((hint) => PROPOSES.exec(hint)?.[1] ?? null);
  const fixes = proposed.flatMap((text) => text ?? []);
  const others = hints.filter((_, at) => proposed[at] === null);
  const [, of, words, found] = LIST.exec(sentence) ?? [];
  if (of === undefined || words === undefined || words.split(', ').length <= MOST_WORDS)
    return { fixes, hints: others.map(asSentence), sentence: asSentence(sentence), others: null };
  return { fixes, hints: others.map(asSentence), sentence: asSentence(`expected ${of}, ${found}`), others: { of, words } };
} // prettier-ignore

function asSentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? '' : '.'}`;
}
