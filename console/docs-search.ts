/** Looks through the index of the documentation, which the build makes (scripts/docs-site/site.ts). */

export type Section = readonly [address: string, page: string, heading: string, text: string];

export interface Finding {
  readonly address: string;
  readonly page: string;
  readonly heading: string;
  /** Some words around the first place; empty if only the headings have what is sought. */
  readonly excerpt: string;
}

/** Sections shown. */
const MOST = 20;
/** Characters of an excerpt. */
const EXCERPT = 120;

/** Sections with all words of the text, each as the beginning of a word: those that have them in headings first. */
export function findSections(sections: readonly Section[], text: string): readonly Finding[] {
  const words = wordsOf(text);
  if (words.length === 0) return [];
  return sections
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score) // sections of equal score stay in the order of the pages
    .slice(0, MOST)
    .map(({ section: [address, page, heading, whole] }) => ({
      address,
      page,
      heading,
      excerpt: excerptOf(whole, words),
    }));
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().split(/[^\p{L}\p{N}_$./-]+/u).filter((word) => word !== ''); // prettier-ignore
}

/** 0 if a word is missing. */
function scoreOf([, page, heading, text]: Section, words: readonly string[]): number {
  const places = [
    { in: heading, counts: 100 },
    { in: page, counts: heading === '' ? 100 : 10 },
    { in: text, counts: 1 },
  ];
  const scores = words.map((word) =>
    places.reduce((sum, place) => sum + (positionOf(place.in.toLowerCase(), word) < 0 ? 0 : place.counts), 0),
  );
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0);
}

/** Where a word begins with `start`, or -1. */
function positionOf(text: string, start: string): number {
  for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}_]/u.test(text.charAt(at - 1))) return at;
  }
  return -1;
}

function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const at = Math.max(...words.map((word) => positionOf(lower, word)));
  if (at < 0) return '';
  const start = Math.max(0, text.lastIndexOf(' ', Math.max(0, at - EXCERPT / 3)) + 1);
  const end = start + EXCERPT >= text.length ? text.length : text.lastIndexOf(' ', start + EXCERPT);
  return `${start > 0 ? '… ' : ''}${text.slice(start, Math.max(end, start))}${end < text.length ? ' …' : ''}`;
}
