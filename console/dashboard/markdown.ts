/**
 * Markdown to elements: headings, paragraphs, lists, quotes, code, rules. All text becomes text nodes, so
 * that markup in it stays text; links lead to http and https only.
 */
import { made } from '../element.ts';
import type { HeadingLevel } from './heading.ts';
import { below, heading } from './heading.ts';
import { endOf, headingIn } from './markdown-lines.ts';
import { scrolled } from './scrolled.ts';

const SAFE_LINK = /^https?:\/\//i;

/** `level`: of its top headings, below those of the page. */
export function markdownView(text: string, label: string, level: HeadingLevel): HTMLElement {
  const view = scrolled(label, 'markdown');
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  for (let at = 0; at < lines.length;) at = addBlock(view, lines, { at, level });
  return view;
}

/** Adds the block that begins at a line; returns the index of the line after it. */
function addBlock(
  view: HTMLElement,
  lines: readonly string[],
  { at, level }: { at: number; level: HeadingLevel },
): number {
  const line = lines[at] ?? '';
  if (line.trim() === '') return at + 1;
  if (line.startsWith('```')) return addCode(view, lines, at);
  const title = headingIn(line);
  if (title !== null) {
    view.append(inline(heading(below(level, title.depth - 1)), title.text));
    return at + 1;
  }
  if (/^ {0,3}(?:[-*_] *){3,}$/.test(line)) {
    view.append(made('hr'));
    return at + 1;
  }
  if (BULLET.test(line) || NUMBERED.test(line)) return addList(view, lines, at);
  const quoted = line.startsWith('>');
  const end = endOf(lines, at, (one) => (quoted ? !one.startsWith('>') : one.trim() === '' || startsBlock(one)));
  const text = lines.slice(at, end).map((one) => (quoted ? one.replace(/^>\s?/, '') : one.trim())).join('\n'); // prettier-ignore
  if (quoted) {
    const quote = made('blockquote');
    quote.append(inline(made('p'), text));
    view.append(quote);
  } else view.append(inline(made('p'), text));
  return end;
}

const BULLET = /^\s*[-*+]\s+/;
const NUMBERED = /^\s*\d{1,9}[.)]\s+/;

function startsBlock(line: string): boolean {
  return /^(?:#{1,6}\s|```|>)/.test(line) || BULLET.test(line) || NUMBERED.test(line);
}

function addCode(view: HTMLElement, lines: readonly string[], at: number): number {
  const end = endOf(lines, at, (line) => /^```\s*$/.test(line));
  const block = made('pre', '', { tabindex: '0' });
  block.append(made('code', lines.slice(at + 1, end).join('\n')));
  view.append(block);
  return end + 1;
}

function addList(view: HTMLElement, lines: readonly string[], at: number): number {
  const marker = NUMBERED.test(lines[at] ?? '') ? NUMBERED : BULLET;
  const end = endOf(lines, at, (line) => !marker.test(line));
  const list = made(marker === NUMBERED ? 'ol' : 'ul');
  list.append(...lines.slice(at, end).map((line) => inline(made('li'), line.replace(marker, ''))));
  view.append(list);
  return end;
}

/** Bounded parts with distinct characters, so that the time is proportional to the text. */
const INLINE = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\*([^*\n]+)\*|\[([^\]\n]{1,500})\]\(([^()\s]{1,2000})\)/g;

function inline<E extends HTMLElement>(element: E, text: string): E {
  let done = 0;
  for (const match of text.matchAll(INLINE)) {
    element.append(text.slice(done, match.index), part(match));
    done = match.index + match[0].length;
  }
  element.append(text.slice(done));
  return element;
}

function part([whole, code, strong, emphasis, name, link]: RegExpExecArray): Node {
  if (code !== undefined) return made('code', code);
  if (strong !== undefined) return made('strong', strong);
  if (emphasis !== undefined) return made('em', emphasis);
  if (name === undefined || link === undefined || !SAFE_LINK.test(link)) return document.createTextNode(whole);
  return made('a', name, { href: link, rel: 'noopener noreferrer nofollow', target: '_blank' });
}
