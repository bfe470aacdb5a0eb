/** A page of docs/ as HTML, with what its contents and the search need to know of it. */
import GithubSlugger from 'github-slugger';
import { Marked, type Token, type Tokens } from 'marked';
import { escapeHtml } from '../../lib/base/text/escape-html.ts';
import { docsAddress, docsLink, docsMarkdown } from '../../lib/router/pages/docs-links.ts';
import { html, Html, snippet } from '../../lib/router/pages/html.ts';

export interface RenderedPage {
  readonly title: string;
  readonly html: Html;
  /** In order; the first is the page's own, of level 1. */
  readonly sections: readonly Section[];
}

/** A heading with what stands below it, up to the next one. */
export interface Section {
  readonly level: number;
  readonly id: string;
  readonly heading: string;
  /** Without answers and results. */
  readonly text: string;
}

/** What blocks of code are, for who cannot see them. Others are a file's content. */
const KINDS: Readonly<Record<string, string>> = { pipe: 'Query', sh: 'Commands', text: 'Answer', json: 'JSON' };
const ANSWERS = new Set(['text', 'json', 'console', '']);

/** Throws if a link leads to a page that `names` does not have. */
export function renderPage(source: string, name: string, names: ReadonlySet<string>): RenderedPage {
  const marked = new Marked({ gfm: true, renderer: rendererFor(name, names) });
  const tokens = marked.lexer(docsMarkdown(source, name));
  const sections = sectionsOf(tokens);
  const [first] = sections;
  if (first?.level !== 1) throw new Error(`docs/${name}.md does not begin with its title`);
  return { title: first.heading, html: new Html(marked.parser(tokens)), sections };
}

/** As forges name headings, so that links to them work there, too. */
function sectionsOf(tokens: readonly Token[]): Section[] {
  const slugger = new GithubSlugger();
  const sections: { level: number; id: string; heading: string; text: string }[] = [];
  for (const token of tokens) {
    const last = sections.at(-1);
    if (isKind(token, 'heading')) {
      const heading = plainText(token.tokens);
      const id = slugger.slug(heading);
      Object.assign(token, { id });
      sections.push({ level: token.depth, id, heading, text: '' });
    } else if (last !== undefined && !(isKind(token, 'code') && ANSWERS.has(token.lang ?? ''))) {
      last.text = `${last.text} ${plainText([token])}`.trim();
    }
  }
  return sections;
}

function isKind<K extends keyof Kinds>(token: Token, type: K): token is Kinds[K] {
  return token.type === type;
}

interface Kinds {
  readonly heading: Tokens.Heading;
  readonly code: Tokens.Code;
  readonly table: Tokens.Table;
  readonly list: Tokens.List;
}

/** The words of tokens, without marks. */
function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token): string => {
      if (token.type === 'html' || token.type === 'space') return ' ';
      if (isKind(token, 'table')) {
        return [token.header, ...token.rows].flat().map((cell) => plainText(cell.tokens)).join(' '); // prettier-ignore
      }
      if (isKind(token, 'list')) return token.items.map((item) => plainText(item.tokens)).join(' ');
      if ('tokens' in token && token.tokens !== undefined) return plainText(token.tokens);
      return 'text' in token ? String(token.text) : '';
    })
    .join('')
    .replaceAll(/\s+/g, ' ');
}

/** Marked calls these with its parser as `this`. */
function rendererFor(name: string, names: ReadonlySet<string>) {
  const comments = /^<!--[^]*-->\s*$/;
  return {
    /** Nothing of a page's HTML is taken: it is shown as text, but for comments. */
    html: ({ text }: Tokens.HTML | Tokens.Tag) => (comments.test(text) ? '' : escapeHtml(text)),
    code: ({ text, lang = '' }: Tokens.Code) => codeBlock(text, lang).text,
    heading(this: Renderer, { tokens, depth, ...rest }: Tokens.Heading) {
      const words = this.parser.parseInline(tokens);
      const id = escapeHtml(String(Reflect.get(rest, 'id')));
      return depth === 1 ? `<h1 id="${id}">${words}</h1>\n` : `<h${depth} id="${id}"><a class="anchor" href="#${id}">${words}</a></h${depth}>\n`; // prettier-ignore
    },
    link(this: Renderer, { href, tokens }: Tokens.Link) {
      const words = this.parser.parseInline(tokens);
      return `<a href="${escapeHtml(hrefOf(href, name, names))}">${words}</a>`;
    },
    table(this: Renderer, { header, rows }: Tokens.Table) {
      const cell = (tag: string, { tokens, align }: Tokens.TableCell): string =>
        `<${tag}${align === 'right' ? ' class="number"' : ''}>${this.parser.parseInline(tokens)}</${tag.slice(0, 2)}>`;
      const head = header.map((one) => cell('th scope="col"', one)).join('');
      const body = rows.map((row) => `<tr>${row.map((one) => cell('td', one)).join('')}</tr>`).join('\n');
      return `<div class="scroll" tabindex="0" role="group" aria-label="Table"><table class="data"><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>\n`;
    },
  };
}

interface Renderer {
  readonly parser: { parseInline(tokens: readonly Token[]): string };
}

function codeBlock(text: string, lang: string): Html {
  const kind = KINDS[lang] ?? 'File';
  if (ANSWERS.has(lang)) return html`<pre class="shown" tabindex="0" aria-label="${kind}"><code>${text}</code></pre>`;
  return snippet(text, kind, lang === 'pipe' ? run(text) : null);
}

function run(query: string): Html {
  return html`<a class="run button" href="/console/ask#q=${encodeURIComponent(query)}">Run this</a>`;
}

function hrefOf(href: string, from: string, names: ReadonlySet<string>): string {
  if (/^https?:/.test(href)) return href;
  const link = docsLink(href, from);
  if (link === null || !names.has(link.name)) throw new Error(`docs/${from}.md has a link to nothing: ${href}`);
  return link.name === from && link.fragment !== '' ? link.fragment : docsAddress(link.name) + link.fragment;
}
