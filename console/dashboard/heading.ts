/** Headings at the level that the page around a dashboard leaves for them. */
import { made } from '../element.ts';

export type HeadingLevel = 1 | 2 | 3 | 4 | 5 | 6;

const TAGS = { 1: 'h1', 2: 'h2', 3: 'h3', 4: 'h4', 5: 'h5', 6: 'h6' } as const;

export function heading(level: HeadingLevel, text = ''): HTMLHeadingElement {
  return made(TAGS[level], text);
}

/** The level below, at most the last one. */
export function below(level: HeadingLevel, steps = 1): HeadingLevel {
  const next = level + steps;
  return next === 1 || next === 2 || next === 3 || next === 4 || next === 5 ? next : 6;
}
