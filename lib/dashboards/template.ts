/** Queries with holes: `{{name}}`, outside the language's strings and comments. */
import type { Template, TemplatePart } from './dashboard.ts';

export interface TemplateProblem {
  /** Offset in the text. */
  readonly at: number;
  readonly message: string;
}

export interface ReadTemplate {
  readonly template: Template;
  /** Where each part begins in the text. */
  readonly starts: readonly number[];
  readonly problems: readonly TemplateProblem[];
}

/** Matches a string, a comment or a hole; all else is text. Each ends where it can, so that the scan takes one pass. */
const SPECIAL = /"(?:[^"\\]|\\[^])*"?|#[^\n]*|\{\{[^{}\n]*\}?\}?/g;
const HOLE = /^\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*\}\}$/;
const HOLE_WITHIN = /\{\{[ \t]*[A-Za-z_][A-Za-z0-9_]*[ \t]*\}\}/;

/** Reads a template. `holes`: whether they name variables of the dashboard, or the value of a fragment. */
export function readTemplate(text: string, holes: 'variables' | 'value'): ReadTemplate {
  const template: TemplatePart[] = [];
  const starts: number[] = [];
  const problems: TemplateProblem[] = [];
  let done = 0;
  for (const { 0: found, index } of text.matchAll(SPECIAL)) {
    if (found.startsWith('#')) continue;
    if (found.startsWith('"')) {
      const within = HOLE_WITHIN.exec(found);
      if (within !== null) problems.push({ at: index + within.index, message: `${within[0]} ${IN_QUOTES}` });
      continue;
    }
    const name = HOLE.exec(found)?.[1];
    if (name === undefined || (holes === 'value' && name !== 'value')) {
      problems.push({ at: index, message: holes === 'value' ? NO_VALUE : `expected {{name}}, found ${found}` });
      continue;
    }
    if (index > done) add({ text: text.slice(done, index) }, done);
    add(holes === 'value' ? { value: true } : { variable: name }, index);
    done = index + found.length;
  }
  if (done < text.length) add({ text: text.slice(done) }, done);
  return { template, starts, problems };

  function add(part: TemplatePart, at: number): void {
    template.push(part);
    starts.push(at);
  }
}

const NO_VALUE = 'a fragment of a variable knows {{value}} only';
const IN_QUOTES = 'is in quotes: write it without, since values bring their own; nothing is filled in inside a string';

export interface Expanded {
  readonly text: string;
  /** Where the expansion of each part begins in the text. */
  readonly starts: readonly number[];
}

/**
 * The text with its holes filled in. A hole filled with nothing also removes the `|` before it, so that no empty stage remains.
 */
export function fillTemplate(
  template: Template,
  print: (part: Exclude<TemplatePart, { text: string }>) => string,
): Expanded {
  let text = '';
  const starts = template.map((part) => {
    const start = text.length;
    if ('text' in part) text += part.text;
    else text = joined(text, print(part));
    return Math.min(start, text.length);
  });
  return { text, starts };
}

function joined(before: string, filling: string): string {
  if (filling.trim() !== '') return before + filling;
  const trimmed = before.trimEnd();
  return trimmed.endsWith('|') ? trimmed.slice(0, -1) : before;
}
