/** Where the links of docs/ lead on a host. In the files they are relative, as forges and editors follow them. */

/** What a link of a page leads to. */
export interface DocsLink {
  /** A page's name: its file in docs/, without `.md`. */
  readonly name: string;
  /** `#…`, or empty. */
  readonly fragment: string;
}

/** The folder of the pages in any checkout, and something above it that links may climb to. */
const DOCS = '/checkout/docs/';
const EXTERNAL = /^[a-z][a-z+.-]*:/i;

/** null: to another site, or to a file that a host does not serve. @param from The name of the page that has it. */
export function docsLink(target: string, from: string): DocsLink | null {
  if (EXTERNAL.test(target)) return null;
  const { pathname, hash } = new URL(target, `http://host${DOCS}${from}.md`);
  if (!pathname.startsWith(DOCS) || !pathname.endsWith('.md')) return null;
  return { name: pathname.slice(DOCS.length, -'.md'.length), fragment: hash };
}

/** `query-language` → `/docs/query-language`; the list of pages is docs/README.md. */
export function docsAddress(name: string): string {
  return name === 'README' ? '/docs/' : `/docs/${name.toLowerCase()}`;
}

const LINK = /!?\[([^\]]*)\]\(([^)\s]+)\)/g;

/** The text of a page as a host serves it: without pictures, and without links to what only a checkout has. */
export function docsMarkdown(text: string, name: string): string {
  return text.replaceAll(LINK, (link, words: string, target: string) => {
    if (EXTERNAL.test(target) || docsLink(target, name) !== null) return link;
    return link.startsWith('!') ? '' : words;
  });
}
