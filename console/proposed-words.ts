/** What completion proposes. */
import { gapIn, wordsFor, type ProjectNames, type WordKind } from '../lib/dsl/hints/complete.ts';
import { helpOf } from '../lib/dsl/hints/word-help.ts';

/** Of one kind as long as nothing is typed: what comes after them is to be seen. */
const MOST_OF_KIND = 12;

/** Kinds that are so few, or so hard to know, that they are shown before the first letter. */
const EAGER: readonly WordKind[] = ['value', 'range'];

/** What may stand where the cursor is. */
export interface Proposed {
  /** Where the word being typed begins, in UTF-16 units. */
  readonly start: number;
  /** The part of the word typed so far. */
  readonly partial: string;
  readonly words: readonly ProposedWord[];
  /** Whether they are shown before the first letter. */
  readonly isEager: boolean;
}

/** `about`: what the word is or does, told beside it. */
export interface ProposedWord {
  readonly text: string;
  readonly about: string;
}

/** What may follow where a query breaks off. */
export function queryWords(before: string, names: ProjectNames): Proposed {
  const gap = gapIn(before);
  const { start, partial, wants } = gap;
  const all = wordsFor(gap, names);
  const first = new Map(all.map(({ kind }, at) => [kind, at] as const).toReversed());
  const shown = partial === '' ? all.filter(({ kind }, at) => at - (first.get(kind) ?? 0) < MOST_OF_KIND) : all;
  const words = shown.map(({ text, kind }) => ({ text, about: helpOf(text, kind) ?? kind }));
  return { start, partial, words, isEager: wants.some((kind) => EAGER.includes(kind)) };
}
